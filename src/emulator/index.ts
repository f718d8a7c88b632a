export type { Fault, FaultKind } from './faults/fault.ts';
export { faultKinds } from './faults/fault.ts';
export { FaultError } from './faults/read-faults.ts';
export type { Edition, Emulator, EmulatorOptions, RequestEntry } from './options.ts';
export { editions } from './options.ts';
export type { OrganizationSeed, Seed, SettingsSeed, TokenSeed, WorkspaceSeed } from './seed/seed.ts';
export { SeedError } from './seed/seed-error.ts';
export { startEmulator } from './start-emulator.ts';
export { DataError } from './store/data-error.ts';
