export { type Fault, FaultError, type FaultKind, faultKinds } from './faults/faults.ts';
export {
  type Edition,
  type Emulator,
  type EmulatorOptions,
  editions,
  OptionError,
  type RequestEntry,
} from './options.ts';
export type {
  Named,
  OrganizationSeed,
  ProjectSeed,
  RetentionSeed,
  Seed,
  SettingsSeed,
  StateSeed,
  TokenSeed,
  WorkspaceSeed,
} from './seed/seed.ts';
export { SeedError } from './seed/seed.ts';
export { startEmulator } from './server.ts';
export { DataError } from './store/own-files.ts';
export { type Role, roles, type TokenKind, tokenKinds } from './store/records.ts';
