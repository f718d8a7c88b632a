/** A stdout that drops everything: what the terminal does with a result is not measured. */
export const silentSink = {
  write: () => {},
  isTerminal: false,
  isUsed: () => false,
  failure: async () => undefined,
};
