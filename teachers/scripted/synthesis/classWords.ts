/** What has a relation, by the relation: the scripted model's knowledge of the world. Founders are of many things. */
const relationsOf: Readonly<Record<string, readonly string[]>> = {
  book: ['author', 'publisher', 'genre', 'setting', 'publication year'],
  ship: ['builder', 'length', 'home port', 'first captain', 'launch year'],
  island: ['capital', 'navigator', 'first chart', 'area', 'waters', 'highest point'],
  person: ['birthplace', 'birth date', 'death year', 'occupation', 'teacher'],
  company: ['industry', 'head office', 'employees'],
  festival: ['month', 'first year', 'place'],
  lighthouse: ['architect', 'first light'],
  school: ['specialty', 'opening year', 'town'],
  town: ['craft', 'island'],
};

/** The word for a thing with some relations; `thing` where none of them tells. */
export function classWord(relations: readonly string[]): string {
  const classes = Object.entries(relationsOf);
  const told = relations.flatMap((relation) => classes.find(([, own]) => own.includes(relation))?.[0] ?? []);
  return told[0] ?? 'thing';
}
