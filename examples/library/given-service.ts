import { createService, createServiceClient } from 'attune/service';

export const address = process.env.ATTUNE_ADDRESS ?? 'https://iac.example.com';
export const client = createServiceClient({ address: new URL(address), token: process.env.ATTUNE_TOKEN });
export const service = createService(client);
