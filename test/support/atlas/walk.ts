import { type Atlas, type Entity, type Fact, factOf } from './entity.ts';

/** One step from an entity to the value of one of its facts. */
export interface Hop {
  readonly entity: Entity;
  readonly fact: string;
  readonly value: Fact;
}

/** The hops along a path of facts, or undefined where it can't be followed: some people have no known teacher. */
export function walk(atlas: Atlas, start: Entity, path: readonly string[]): Hop[] | undefined {
  const hops: Hop[] = [];
  let entity: Entity | undefined = start;
  for (const fact of path) {
    if (!entity?.facts[fact]) return undefined;
    const value = factOf(entity, fact);
    hops.push({ entity, fact, value });
    entity = value.page === undefined ? undefined : atlas.get(value.page);
  }
  return hops;
}
