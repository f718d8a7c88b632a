import type { DeclaredLayers } from './fields.ts';

/**
 * Layers by address. The layers of a workspace take more memory than all else that is known about it, and few of them are
 * ever read: they are computed at each read, and not kept.
 */
export class LayerMap implements ReadonlyMap<string, DeclaredLayers> {
  /** Undefined if they are computed. */
  readonly #layers = new Map<string, DeclaredLayers | undefined>();
  readonly #compute: (address: string) => DeclaredLayers;

  constructor(compute: (address: string) => DeclaredLayers) {
    this.#compute = compute;
  }

  set(address: string, layers: DeclaredLayers): void {
    this.#layers.set(address, layers);
  }

  /** Adds an address whose layers are computed. */
  setLater(address: string): void {
    this.#layers.set(address, undefined);
  }

  get size(): number {
    return this.#layers.size;
  }

  has(address: string): boolean {
    return this.#layers.has(address);
  }

  get(address: string): DeclaredLayers | undefined {
    const layers = this.#layers.get(address);
    return layers === undefined && this.has(address) ? this.#compute(address) : layers;
  }

  keys(): MapIterator<string> {
    return this.#layers.keys();
  }

  *entries(): MapIterator<[string, DeclaredLayers]> {
    for (const [address, layers] of this.#layers) yield [address, layers ?? this.#compute(address)];
  }

  *values(): MapIterator<DeclaredLayers> {
    for (const [, layers] of this.entries()) yield layers;
  }

  [Symbol.iterator](): MapIterator<[string, DeclaredLayers]> {
    return this.entries();
  }

  forEach(
    each: (layers: DeclaredLayers, address: string, map: ReadonlyMap<string, DeclaredLayers>) => void,
  ): void {
    for (const [address, layers] of this.entries()) each(layers, address, this);
  }
}
