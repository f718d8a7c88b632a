import type { Dialect } from '../model/dialect.ts';
import type { WriteRequest } from '../model/plan.ts';
import type { Value } from '../model/value.ts';
import type { Query, ServiceClient } from '../service/client.ts';
import { asResourceObject, includedResources, type ResourceObject } from '../service/documents.ts';
import type { SendOptions } from '../service/exchange.ts';
import { type PagedList, readList, readPage } from '../service/paging.ts';
import { NetworkError } from '../service/service-error.ts';
import { fromWireNames, toWireNames } from '../service/wire-codec.ts';
import type { PageQuery, ResourcePage } from './resource.ts';

/**
 * What all typed endpoints share: how a resource is read, listed and written in a dialect. The type of a resource is
 * that of the interface; values are returned as the service sends them.
 */
export type Wire = ReturnType<typeof createWire>;

export function createWire(client: ServiceClient, dialect: Dialect) {
  // The only cast of a response to the type of the interface.
  const typed = <Resource>(object: ResourceObject): Resource =>
    ({ ...object, attributes: fromWireNames(object.attributes, dialect) }) as unknown as Resource;
  return {
    async show<Resource>(path: string, query?: Query): Promise<Resource> {
      const document = await client.get(path, query);
      const object = asResourceObject(document.data);
      if (object === undefined) {
        const why = 'the response is not usable: no resource with an id';
        const hint = 'check that the address is the service itself';
        throw new NetworkError({ method: 'GET', path }, why, { hint });
      }
      const included = includedResources(document);
      return { ...typed<Resource>(object), ...(included && { included }) };
    },
    /** All pages. */
    async list<Resource>(list: PagedList): Promise<readonly Resource[]> {
      const objects = await readList(client, list);
      return objects.map((object) => typed<Resource>(object));
    },
    async page<Resource>(list: PagedList, { number, size }: PageQuery = {}): Promise<ResourcePage<Resource>> {
      const page = await readPage(client, list, number, size);
      return { ...page, items: page.items.map((object) => typed<Resource>(object)) };
    },
    /** Sends a write and returns the resource, which is read if the response lacks it. */
    async write<Resource>(
      call: WriteRequest,
      otherwise: () => Promise<Resource>,
      options?: SendOptions,
    ): Promise<Resource> {
      const document = await client.send(call, options);
      const object = asResourceObject(document?.data);
      return object ? typed<Resource>(object) : otherwise();
    },
    /** Sends a write whose response is ignored. */
    async send(call: WriteRequest, options?: SendOptions): Promise<void> {
      await client.send(call, options);
    },
    /** Attributes as the dialect spells them. */
    spelled: (attributes: object) =>
      toWireNames(attributes as Readonly<Record<string, unknown>>, dialect) as Value,
  };
}

/** Options as the parameters of a query. Lists are joined; what is absent or empty is left out. */
export function queryOf<Options extends object>(
  names: Readonly<Partial<Record<keyof Options, string>>>,
  options: Options,
): Query {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries<string | undefined>(names).flatMap(([option, name = option]) => {
      const value = given[option];
      const isAbsent = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
      return isAbsent ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]];
    }),
  );
}

/** The parameters that filter a list by key/value tags. */
export function taggedQuery(
  tagged: readonly { readonly key: string; readonly value?: string }[] = [],
): Query {
  return Object.fromEntries(
    tagged.flatMap(({ key, value }, index) => [
      [`filter[tagged][${index}][key]`, key],
      ...(value === undefined ? [] : [[`filter[tagged][${index}][value]`, value]]),
    ]),
  );
}
