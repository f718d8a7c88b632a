import { App, Organization, Project, Team, Workspace } from 'attune/constructs';

export const app = new App();
export const acme = new Organization(app, 'acme');
export const payments = new Project(acme, 'payments', { id: 'prj-payments' });
export const developers = new Team(acme, 'developers', { id: 'team-developers' });
export const network = new Workspace(acme, 'network-prod', { project: payments });
export const billing = new Workspace(acme, 'billing-prod', { project: payments });
