import { Document, type ScalarTag, type Tags } from 'yaml';

/** Float format for all YAML readers: PyYAML (YAML 1.1) reads `1e-7` as a string, `1.0e-7` as a number. */
const floatTag: ScalarTag = {
  identify: (value) => typeof value === 'number' && !Number.isInteger(value),
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?\d+\.\d+(?:e[-+]\d+)?$/,
  resolve: (text) => Number(text),
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, '$1.0e'),
};

/** Forces quotes for `=` and `<<`: YAML 1.1 gives them tags that PyYAML's safe loader rejects. */
const reservedTag: ScalarTag = {
  identify: () => false,
  default: true,
  tag: 'tag:yaml.org,2002:value',
  test: /^(?:=|<<)$/,
  resolve: (text) => text,
};

/** All tags of YAML 1.1 except map merging, which would write `<<`. */
function plainTags(tags: Tags): Tags {
  const known = tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:merge');
  return [floatTag, reservedTag, ...known];
}

export type YamlComments = Readonly<Record<string, string>>;

/**
 * Renders YAML for readers of versions 1.1 and 1.2: ambiguous strings are quoted.
 *
 * @param comments by top-level key, each written on the lines above it
 */
export function renderYaml(
  value: Readonly<Record<string, unknown>> | readonly unknown[],
  comments: YamlComments = {},
): string {
  const document = new Document(value, { version: '1.1', customTags: plainTags });
  if (document.directives) document.directives.yaml.explicit = false;
  for (const [key, comment] of Object.entries(comments)) {
    const pair = (document.contents as unknown as { items: { key: CommentedKey }[] }).items.find(
      (item) => item.key.value === key,
    );
    if (pair) pair.key.commentBefore = comment.replace(/^/gm, ' ');
  }
  return document.toString({ lineWidth: 0 });
}

interface CommentedKey {
  readonly value: string;
  commentBefore?: string;
}
