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
export interface Wire {
  show<Resource>(path: string, query?: Query): Promise<Resource>;
  /** All pages. */
  list<Resource>(list: PagedList): Promise<readonly Resource[]>;
  page<Resource>(list: PagedList, page?: PageQuery): Promise<ResourcePage<Resource>>;
  /** Sends a write and returns the resource, which is read if the response lacks it. */
  write<Resource>(
    call: WriteRequest,
    otherwise: () => Promise<Resource>,
    options?: SendOptions,
  ): Promise<Resource>;
  /** Sends a write whose response is ignored. */
  send(call: WriteRequest, options?: SendOptions): Promise<void>;
  /** Attributes as the dialect spells them. */
  spelled(attributes: object): Value;
}

export function createWire(client: ServiceClient, dialect: Dialect): Wire {
  // The only cast of a response to the type of the interface.
  const typed = <Resource>(object: ResourceObject): Resource =>
    ({ ...object, attributes: fromWireNames(object.attributes, dialect) }) as unknown as Resource;
  return {
    async show<Resource>(path: string, query?: Query) {
      const document = await client.get(path, query);
      const object = asResourceObject(document.data);
      if (object === undefined) {
        throw new NetworkError(
          { method: 'GET', path },
          'the response is not usable: no resource with an id',
          {
            hint: 'check that the address is the service itself',
          },
        );
      }
      const included = includedResources(document);
      return { ...typed<Resource>(object), ...(included && { included }) };
    },
    async list<Resource>(list: PagedList) {
      const objects = await readList(client, list);
      return objects.map((object) => typed<Resource>(object));
    },
    async page<Resource>(list: PagedList, { number, size }: PageQuery = {}) {
      const page = await readPage(client, list, number, size);
      return { ...page, items: page.items.map((object) => typed<Resource>(object)) };
    },
    async write<Resource>(call: WriteRequest, otherwise: () => Promise<Resource>, options?: SendOptions) {
      const document = await client.send(call, options);
      const object = asResourceObject(document?.data);
      return object ? typed<Resource>(object) : otherwise();
    },
    async send(call, options) {
      await client.send(call, options);
    },
    spelled: (attributes) => toWireNames(attributes as Readonly<Record<string, unknown>>, dialect) as Value,
  };
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
