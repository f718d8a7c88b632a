import type { buildConnector } from 'undici';

/**
 * Drops a `100 Continue` that was not asked for (RFC 9110, section 15.2.1), which some proxies send. undici treats it as
 * a broken connection.
 */
export function acceptingInterimResponses(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) {
        const read = socket.read.bind(socket);
        socket.read = (size) => {
          for (let chunk = read(size); chunk !== null; chunk = read(size)) {
            const rest = withoutInterimResponses(chunk);
            if (rest.length > 0) return rest;
          }
          return null;
        };
      }
      callback(...result);
    });
}

const interim = Buffer.from('HTTP/1.1 100');

function withoutInterimResponses(chunk: Buffer): Buffer {
  if (!chunk.subarray(0, interim.length).equals(interim)) return chunk;
  const end = chunk.indexOf('\r\n\r\n');
  return end < 0 ? chunk : withoutInterimResponses(chunk.subarray(end + 4));
}
