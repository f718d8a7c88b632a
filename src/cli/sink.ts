import { fstatSync, writeFileSync } from 'node:fs';

/** Takes text. A sink never throws: after the first failure everything that follows is dropped. */
export interface Sink {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters per line, on a terminal. */
  readonly columns?: number;
}

/** The sink of a result, which must not get lost unnoticed. */
export interface ResultSink extends Sink {
  /**
   * Resolves when all text is handed over: with the reason if some could not be written. A reader that went away
   * (`attune plan | head`) is not a reason.
   */
  failure(): Promise<Error | undefined>;
  /** Whether any text was written. */
  isUsed(): boolean;
}

/** A sink on a stream of the process. */
export function processSink(stream: NodeJS.WriteStream & { readonly fd: number }): ResultSink {
  const isTerminal = stream.isTTY === true;
  let isUsed = false;
  let lost: NodeJS.ErrnoException | undefined;
  let last: Promise<void> = Promise.resolve();
  const lose = (error: NodeJS.ErrnoException) => {
    lost ??= error;
  };
  // Without a listener, an error of the stream ends the process.
  stream.on('error', lose);
  const writeToFile = (text: string) => {
    try {
      writeFileSync(stream.fd, text);
    } catch (error) {
      lose(error as NodeJS.ErrnoException);
    }
  };
  const writeToStream = (text: string) => {
    last = new Promise((resolve) => {
      stream.write(text, (error) => {
        if (error) lose(error);
        resolve();
      });
    });
  };
  // The stream of a file ignores that a full disk took only a part of the text.
  const write = isRegularFile(stream.fd) ? writeToFile : writeToStream;
  return {
    write: (text) => {
      isUsed = true;
      if (lost === undefined) write(text);
    },
    isUsed: () => isUsed,
    failure: async () => {
      await last;
      return lost === undefined || isReaderGone(lost, isTerminal) ? undefined : lost;
    },
    isTerminal,
    ...(stream.columns && { columns: stream.columns }),
  };
}

function isRegularFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** A terminal that was closed answers a write with EIO. */
function isReaderGone({ code }: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return code === 'EPIPE' || (isTerminal && code === 'EIO');
}
