export type { ResourcePage } from '../service/paging.ts';
export * from './client.ts';
export { createService, type ServiceOptions } from './create-service.ts';
export type * from './documents.ts';
export type * from './service.ts';
export type * from './typed-settings.ts';
