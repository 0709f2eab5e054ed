/** How a life is told. `{He}`, `{he}`, `{His}`, `{his}` and `{him}` follow the person. */
export const personSentences: readonly (readonly string[])[] = [
  [
    '{name} ({born} – {died}) was a noted {occupation} who came from {birthplace}.',
    'The {occupation} {name} was born on {born} in {birthplace} and died in {died}.',
    'Born in {birthplace} on {born}, {name} became the most admired {occupation} of the day and died in {died}.',
  ],
  [
    '{He} learned the trade from {teacher}.',
    '{His} teacher was {teacher}.',
    'At fifteen {he} was apprenticed to {teacher}.',
  ],
];
