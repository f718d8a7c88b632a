export { EmulatorError } from './emulator-error.ts';
export { type Fault, type FaultKind, faultKinds } from './faults.ts';
export type { Emulator, EmulatorOptions, RequestEntry } from './options.ts';
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
export { startEmulator } from './server.ts';
export { type Role, roles, type TokenKind, tokenKinds } from './store/store.ts';
export { type Edition, editions } from './world.ts';
