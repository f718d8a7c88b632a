// Loaded before the program with --import: prints the peak memory of its process at the end.
process.on('exit', () =>
  console.error(`peak memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`),
);
