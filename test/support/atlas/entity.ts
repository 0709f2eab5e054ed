/** The kinds of things that the atlas describes, in the order of its pages. */
export const kinds = [
  'island',
  'town',
  'person',
  'company',
  'ship',
  'festival',
  'lighthouse',
  'book',
  'college',
] as const;
/** See {@link kinds}. */
export type Kind = (typeof kinds)[number];

/** One thing that is true of an entity. */
export interface Fact {
  /** As it stands in prose. */
  readonly value: string;
  /** Slug of the entity that the value names, where it names one. */
  readonly page?: string;
}

/** A thing with a page of its own. */
export interface Entity {
  readonly kind: Kind;
  readonly name: string;
  /** The page's name without `.html`. */
  readonly slug: string;
  readonly facts: Readonly<Record<string, Fact>>;
}

/** The whole world by slug, in the order of its pages. */
export type Atlas = ReadonlyMap<string, Entity>;

/** The name as a page name: lower case, no accents, dashes for everything else. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** A fact that names another entity. */
export function linkTo(entity: Entity): Fact {
  return { value: entity.name, page: entity.slug };
}

/** A fact that is its value. */
export function plain(value: string | number): Fact {
  return { value: String(value) };
}

/** An entity with its slug. */
export function createEntity(kind: Kind, name: string, facts: Record<string, Fact>): Entity {
  return { kind, name, slug: slugOf(name), facts };
}

/** The value of a fact. Throws when the entity has no such fact. */
export function factOf(entity: Entity, fact: string): Fact {
  const found = entity.facts[fact];
  if (!found) throw new Error(`${entity.name} (${entity.kind}) has no fact "${fact}"`);
  return found;
}
