export { OptionError } from './check-options.ts';
export { type Fault, type FaultKind, faultKinds } from './faults/fault.ts';
export { FaultError } from './faults/read-faults.ts';
export { type Edition, type Emulator, type EmulatorOptions, editions, type RequestEntry } from './options.ts';
export type {
  Named,
  OrganizationSeed,
  RetentionSeed,
  Seed,
  SettingsSeed,
  StateSeed,
  TokenSeed,
  WorkspaceSeed,
} from './seed/seed.ts';
export { SeedError } from './seed/seed-error.ts';
export { startEmulator } from './start-emulator.ts';
export { DataError } from './store/data-error.ts';
export { type Role, roles } from './store/records.ts';
