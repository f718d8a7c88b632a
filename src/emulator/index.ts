export { type Fault, FaultError, type FaultKind, faultKinds } from './faults.ts';
export {
  type Emulator,
  type EmulatorOptions,
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
export { type Role, roles, type TokenKind, tokenKinds } from './store/store.ts';
export { type Edition, editions } from './world.ts';
