/** The models that a configuration's sections `teacher`, `judge` and `tools` name, each once. */
export function modelsOf({ teacher, judge, tools }: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'model' && typeof inner === 'string') found.add(inner);
      else look(inner);
    }
  };
  look([teacher, judge, tools]);
  return [...found];
}
