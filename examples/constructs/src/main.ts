import { App, Organization, Project, Tags, Team, Workspace } from 'attune/constructs';
import { Construct } from 'constructs';

const regions = ['eu-north', 'eu-west', 'us-east', 'us-west'];
const services = 'catalog checkout identity mail pricing reports search shipping'.split(' ');

const app = new App();
const acme = new Organization(app, 'acme', {
  service: { address: 'embedded', seed: 'seed.yaml' },
  defaults: { workspace: { executionMode: 'remote', iacVersion: '~> 1.9.0' } },
  scope: { tags: ['managed'] },
  prune: { workspaces: 'safe', teamAccess: true },
});
Tags.of(acme).add('managed');
const sre = new Team(acme, 'sre', { id: 'team-sre' });
const developers = new Team(acme, 'developers', { name: 'Developers' });

/** A service of one region, on top of its network. */
class Service extends Workspace {
  constructor(region: Construct, id: string, network: Workspace) {
    const isProduction = Project.of(region)?.alias === 'prod';
    super(region, id, {
      autoApply: !isProduction,
      vcsRepo: { identifier: `acme/${id}`, oauthTokenId: 'ot-github', branch: 'main' },
      workingDirectory: 'infrastructure',
    });
    network.allowStateReadBy(this);
    const tooLong = `"${id}" is longer than the names of its buckets can be`;
    this.node.addValidation({ validate: () => (id.length > 12 ? [tooLong] : []) });
  }
}

/** A stage: a project with its access, and in each region a network and the services. */
class Stage extends Project {
  constructor(name: string, isProduction: boolean) {
    super(acme, name, { id: `prj-${name}` });
    Tags.of(this).add(name);
    this.grant(sre, isProduction ? 'admin' : 'maintain');
    this.grant(developers, isProduction ? { workspaceAccess: { runs: 'plan', variables: 'read' } } : 'write');
    for (const id of regions) {
      const region = new Construct(this, id);
      const network = new Workspace(region, 'network', { tags: ['network'], protect: isProduction });
      const billing = new Service(region, 'billing', network);
      for (const service of services.map((name) => new Service(region, name, network))) {
        // In both directions: all are billed, and ask what it has come to.
        service.allowStateReadBy(billing);
        billing.allowStateReadBy(service);
      }
    }
  }
}

new Stage('dev', false);
new Stage('staging', false);
new Stage('prod', true);
await app.synth();
