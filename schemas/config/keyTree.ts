import { z } from 'zod';
import type { KeyMeaning, TextMeaning } from './keyMeaning.ts';

/** A key of a schema and its children. A key without children is a leaf: it holds a value. */
export interface KeyNode {
  readonly schema: z.core.$ZodType;
  /** Metadata of the key's schema; complete for leaves of the configuration. */
  readonly meaning: Partial<KeyMeaning & TextMeaning>;
  /** Children by key. */
  readonly keys?: Readonly<Record<string, KeyNode>>;
  /** Schema of each list entry or mapping value. */
  readonly each?: KeyNode;
  /** Keys of the embedded model; the use of the model selects the ones it depends on. */
  readonly model?: KeyNode;
}

export interface LeafValue {
  readonly keys: readonly (string | number)[];
  readonly value: unknown;
  readonly meaning: KeyNode['meaning'];
}

/** Key tree of a schema. A list or mapping that declares the stages it affects is one value. */
export function keyTree(schema: z.core.$ZodType): KeyNode {
  const own = (z.globalRegistry.get(schema) ?? {}) as KeyNode['meaning'];
  const inner = innerSchema(schema);
  if (inner) {
    const { meaning, ...node } = keyTree(inner);
    const whole = { ...meaning, ...own };
    return { ...('shapes' in own ? { schema: node.schema } : node), meaning: whole };
  }
  const node = {
    schema,
    meaning: schema instanceof z.ZodArray ? { ...textMeaning(schema.element), ...own } : own,
  };
  if (own.model && schema instanceof z.ZodObject)
    return { ...node, model: { schema, meaning: {}, keys: keysOf(schema) } };
  if ('shapes' in own) return node;
  if (schema instanceof z.ZodObject) return { ...node, keys: keysOf(schema) };
  if (schema instanceof z.ZodArray) return { ...node, each: keyTree(schema.element) };
  if (schema instanceof z.ZodRecord) return { ...node, each: keyTree(schema.valueType) };
  const options =
    schema instanceof z.ZodUnion ? schema.options.filter((one) => one instanceof z.ZodObject) : [];
  if (options.length === 0) return node;
  return { ...node, keys: Object.assign({}, ...options.map(keysOf)) };
}

/** Declared content of a text; empty for other values. */
function textMeaning(schema: z.core.$ZodType): Partial<TextMeaning> {
  const { path, many = false, secret } = (z.globalRegistry.get(schema) ?? {}) as KeyNode['meaning'];
  return path === undefined || secret === undefined ? {} : { path, many, secret };
}

function keysOf({ shape }: z.ZodObject): Record<string, KeyNode> {
  return Object.fromEntries(Object.entries(shape).map(([key, child]) => [key, keyTree(child)]));
}

/** Inner schema of a wrapper such as `.optional()`, or input of a transformation; undefined for other schemas. */
function innerSchema(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap();
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.unwrap();
  return schema instanceof z.ZodPipe ? schema.in : undefined;
}

/** Leaves of a value in schema order. */
export function leafValues(node: KeyNode, value: unknown, keys: LeafValue['keys'] = []): LeafValue[] {
  if (value === undefined) return [];
  if (node.model) return modelLeaves(node.model, value, keys, node.meaning);
  if (!node.keys && !node.each) return [{ keys, value, meaning: node.meaning }];
  return childrenOf(node, value).flatMap(([key, child, held]) => leafValues(child, held, [...keys, key]));
}

/** Leaves of a model: those that its use depends on affect the stages of the enclosing key. */
function modelLeaves(
  node: KeyNode,
  value: unknown,
  keys: LeafValue['keys'],
  { model, shapes = [] }: KeyNode['meaning'],
): LeafValue[] {
  return leafValues(node, value, keys).map((leaf) => {
    const isUsed = leaf.meaning.shapes?.includes(model!);
    return { ...leaf, meaning: { ...leaf.meaning, shapes: isUsed ? shapes : [] } };
  });
}

/**
 * Part of a value that affects a stage. A mapping or list with such leaves stays even if none is set; one without is
 * removed.
 */
export function shapingPart(node: KeyNode, value: unknown, stage: string): unknown {
  if (value === undefined || !mayShape(node, stage)) return undefined;
  if (node.model) return shapingPart(node.model, value, node.meaning.model!);
  // A mapping may have a short form, such as a number: that is a single value.
  return (node.keys || node.each) && typeof value === 'object' ? partOfChildren(node, value, stage) : value;
}

function partOfChildren(node: KeyNode, value: unknown, stage: string): unknown {
  const parts = childrenOf(node, value).map(([key, child, held]) => {
    const part = shapingPart(child, held, stage);
    const { presence } = child.meaning;
    return presence === undefined || part === undefined
      ? ([key, part] as const)
      : ([presence, true] as const);
  });
  if (Array.isArray(value)) return parts.map(([, part]) => part);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

function mayShape({ meaning, keys, each }: KeyNode, stage: string): boolean {
  if (meaning.shapes) return meaning.shapes.includes(stage);
  return [...Object.values(keys ?? {}), ...(each ? [each] : [])].some((child) => mayShape(child, stage));
}

function childrenOf({ keys, each }: KeyNode, value: unknown): [string | number, KeyNode, unknown][] {
  if (Array.isArray(value)) return each ? value.map((held, at) => [at, each, held]) : [];
  if (typeof value !== 'object' || value === null) return [];
  const held = value as Readonly<Record<string, unknown>>;
  if (keys) return Object.entries(keys).map(([key, child]) => [key, child, held[key]]);
  return each ? Object.entries(held).map(([key, one]) => [key, each, one]) : [];
}

/** The paths of a value's models: of keys that hold one. */
export function modelPlaces(
  node: KeyNode,
  value: unknown,
  keys: LeafValue['keys'] = [],
): LeafValue['keys'][] {
  if (value === undefined) return [];
  if (node.model) return [keys];
  return childrenOf(node, value).flatMap(([key, child, held]) => modelPlaces(child, held, [...keys, key]));
}

/** Node at a path; undefined if it does not exist. */
export function nodeAt(root: KeyNode, path: readonly PropertyKey[]): KeyNode | undefined {
  return path.reduce<KeyNode | undefined>((node, key) => {
    const keys = node?.keys ?? node?.model?.keys ?? {};
    return Object.hasOwn(keys, key) ? keys[String(key)] : node?.each;
  }, root);
}

/** Allowed keys of a mapping; empty if any key is allowed or it is not a mapping. */
export function knownKeys(node: KeyNode | undefined): string[] {
  const keys = node?.keys ?? node?.model?.keys;
  if (keys) return Object.keys(keys);
  const names = node?.schema instanceof z.ZodRecord ? node.schema.keyType : undefined;
  return names instanceof z.ZodEnum ? names.options.map(String) : [];
}
