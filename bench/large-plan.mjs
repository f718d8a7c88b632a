// One `attune plan` in a separate process, which prints its resource usage at the end.

import { processIo } from '../build/cli/io.js';
import { run } from '../build/cli/main.js';
import { silentSink } from './silent-sink.mjs';

const io = { ...processIo(), stdout: silentSink };
const code = await run(process.argv.slice(2), io);
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
console.log(
  JSON.stringify({
    code,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: Math.round(maxRSS / 1024),
  }),
);
