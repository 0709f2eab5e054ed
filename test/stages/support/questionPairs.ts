/** Two questions of one kind of difference, or of none. */
export interface QuestionPair {
  readonly kind: string;
  readonly a: string;
  readonly b: string;
}

const places =
  'Velnor Asmara Tashkent Windhoek Lisbon Norland Harrow Sorrel Morvale Kestrel Brenn Aske Zelmar Quarn Ostrava Pelpi Rondo Tarsk Ulmar Wexley'.split(
    ' ',
  );

/** A slot `@` filled in two ways, in a question about a place `#`; each kind in several wordings. */
const fillings: readonly (readonly [kind: string, template: string, a: string, b: string])[] = [
  ['unit', 'How far is the lighthouse of # from its harbour if a boat needs an hour at 12 @?', 'km', 'miles'],
  ['unit', 'how many @ of grain did the mill of # grind in its best year', 'tons', 'kilograms'],
  ['sign', 'Solve the equation x @ 5 = 12 that stands on the gate of #.', '+', '-'],
  ['sign', 'The town of # writes $3 @ 4$ on its coins. What is the value?', '*', '/'],
  ['sign', 'For which integers of # is n @ 12?', '<', '>'],
  ['currency', 'How many loaves does a baker of # sell for @20?', '$', '€'],
  ['bracket', 'What is the number @ on the clock of #?', '(2 + 3) * 4', '2 + (3 * 4)'],
  ['factorial', 'Compute @ for the clerks of #.', '5!', '5'],
  ['derivative', 'What is @ at the bend of the river of #?', "f'(2)", 'f(2)'],
  ['decimal', 'What is the area of a field of # with a side of @ metres?', '1.5', '15'],
  ['decimal', 'What is the area of a field of # with a side of @ metres?', '3.14', '314'],
  ['number', 'In which of the years after 19@ did the council of # move to the hill?', '63', '64'],
  ['digits', 'What is @ in the ledger of #?', '1 + 25', '12 + 5'],
  ['order of numbers', 'What is @ in the ledger of #?', '7 minus 2', '2 minus 7'],
  ['number word', 'Find the logarithm base @ of the number of bridges of #.', 'two', 'three'],
  ['ordinal', 'Who was the @ mayor of the town of #?', 'first', 'last'],
  ['connective', 'Which towns near # have the harbour @ the large cathedral?', 'and', 'or'],
  ['negation', 'Which metals of the mine of # are @magnetic?', '', 'not '],
  ['prefix', 'Is the function on the tower of # @?', 'bounded', 'unbounded'],
  ['colour', 'How many @ roofs does the old town of # have?', 'red', 'blue'],
  ['opposite', 'Sort the streets of # in @ order of their length.', 'ascending', 'descending'],
  ['opposite', 'what is the @ lake of the region around #', 'largest', 'smallest'],
  ['direction', 'Which river flows through the @ part of #?', 'northern', 'southern'],
  ['relative', 'In which city was the @ of the founder of # born?', 'father', 'mother'],
  ['asked for', '@ signed the treaty of # that ended the long war?', 'Who', 'When'],
  ['preposition', 'Which books @ the library of # were burnt?', 'about', 'from'],
  ['tense of a verb', 'Who @ the observatory of #?', 'paints', 'painted'],
  ['plural', 'Who directed the film @ that was shot in #?', 'Alien', 'Aliens'],
  ['verb', 'Who @ the old bridge of #?', 'rebuilt', 'sold'],
  ['language', 'how long does learning @ take for a merchant of #', 'chinese', 'english'],
  ['first name', 'In which country was the brother of @ Lund of # born?', 'Maria', 'Laura'],
  ['country', 'Did the traveller from # visit @ before the war?', 'Iceland', 'Ireland'],
  ['country', 'What is the language of @ as it is taught in #?', 'Niger', 'Nigeria'],
  ['title', 'Who wrote @, which is read in the schools of #?', 'The Iliad', 'The Odyssey'],
  ['name of lower case', 'what is the height of the tower of @ near #', 'arlen', 'brisk'],
  ['swapped nouns', 'In the town of # @?', 'does the dog chase the cat', 'does the cat chase the dog'],
  ['swapped names', 'Near # did @?', 'Ann beat Bob', 'Bob beat Ann'],
  ['variable', 'Print the value of @ after the loop over the houses of #.', 'x', 'y'],
  ['formula', 'Find the least value of @ for the surveyors of #.', 'x-y', 'xy'],
  ['a word more', 'Which king@ built the tower of #?', '', ' of the north'],
  ['a word more', 'Who is the author of the book about #@?', '', ' Murders'],
  ['synonym', 'Who is the @ of the company that built the bridge of #?', 'founder', 'creator'],
  ['spelling', 'What is the @ of the flag of #?', 'colour', 'color'],
  ['name a letter apart', 'Which cousin of @ came to #?', 'Anderson', 'Andersen'],
  ['a letter less', 'Which @ includes the town of #?', 'country', 'county'],
  ['a vowel', 'How old is the @ who guards the gate of #?', 'woman', 'women'],
  ['doubled letter', 'Which traveller crossed the @ before #?', 'desert', 'dessert'],
  ['Chinese', '#在哪个省的@边？', '南', '北'],
  ['Chinese', '#的@叫什么名字？', '父亲', '母亲'],
  ['word in capitals', 'WHICH @ OF # WAS SOLD?', 'CASTLE', 'MUSEUM'],
  ['ratio', 'At what scale of @ was the map of # drawn?', '1:20', '1:25'],
  ['code', 'Which programs of # are written in @?', 'C', 'C++'],
  ['percent', 'What is 20@ of the taxes of #?', '%', ''],
  ['an example', 'Which towns near # lie on the river, for example @?', 'Dunmore', 'Kilmore'],
];

/** Pairs of different questions: ten places in each of the {@link fillings}. */
export const differentPairs: readonly QuestionPair[] = fillings.flatMap(([kind, template, a, b], at) =>
  Array.from({ length: 10 }, (_, nth) => {
    const place = places[(at + nth) % places.length]!;
    const filled = (filling: string) => template.replace('#', place).replace('@', () => filling);
    return { kind, a: filled(a), b: filled(b) };
  }),
);

const questions = [
  'In which year did the council of Velnor move the old observatory to the hill outside the town?',
  'Who is the author of "A Tale of Two Kingdoms", which was printed in Lisbon?',
  'what is the highest mountain of the northern province in metres',
  'How many bridges cross the river between the harbour and the fortress of Windhoek?',
  'Let $x$ and $y$ be positive integers such that $x^2 - 57y = 29$. Find the sum of the values of $x$.',
  'Which of the painters of the chapel was born earlier, Maria Lund or José Andrés?',
  'The merchant buys 1,250 apples for $20 and sells a third of them. How much is the profit of the merchant?',
  'Write a function that returns the list of numbers in ascending order without any duplicates.',
  'Où est né le compositeur de l’opéra qui fut créé à Montréal en 1958 ?',
  'Which river, according to the latest survey, has the largest catchment of the region?',
  "Who was the teacher of the sculptor's elder brother?",
  'Is the well-known treaty of the northern kingdoms older than the cathedral of their capital?',
  'What are the capital and the language of the country that won the championship in 1998?',
];

function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0));
}

/** Puts a mark inside every word of at least four letters. */
function inWords(text: string, mark: string): string {
  return text.replace(/\p{L}{2}(?=\p{L}{2})/gu, `$&${mark}`);
}

/** Two neighbouring letters inside the nth long word change places. */
function misspelled(text: string, nth: number): string {
  const words = [...text.matchAll(/(?<!\p{L})\p{Ll}{6,}/gu)].filter(([word]) => word[2] !== word[3]);
  const { 0: word, index } = words[nth % words.length]!;
  const swapped = `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`;
  return `${text.slice(0, index)}${swapped}${text.slice(index + word.length)}`;
}

/** Changes that leave a question the same. */
const changes: Readonly<Record<string, (question: string, nth: number) => string>> = {
  'upper case': (question) => question.toUpperCase(),
  'lower case': (question) => question.toLowerCase(),
  NFD: (question) => question.normalize('NFD'),
  'full width': fullWidth,
  'zero width': (question) => inWords(question, '\u200b'),
  'soft hyphen': (question) => inWords(question, '\u00ad'),
  'variation selector': (question) => inWords(question, '\ufe0f'),
  'misspelled word': misspelled,
  'another misspelled word': (question, nth) => misspelled(question, nth + 1),
  'article less': (question) => question.replace(' the ', ' '),
  'other article': (question) => question.replace(' the ', ' a '),
  quotes: (question) => `“${question.replaceAll('"', '')}”`,
  'label in front': (question) => `Question: ${question}`,
  'white space': (question) => question.replaceAll(' ', ' \n '),
  punctuation: (question) => `${question.replace(/,(?!\d)/g, ' ;').replace(/[.?]$/, '')} …`,
  'typographic signs': (question) => question.replaceAll("'", '’').replaceAll(' - ', ' − '),
  'form of a verb': (question) => question.replace(/ (?:is|was|are) /, ' were '),
};

/** Pairs of the same question. */
export const samePairs: readonly QuestionPair[] = Object.entries(changes).flatMap(([kind, change]) =>
  questions
    .map((question, nth) => ({ kind, a: question, b: change(question, nth) }))
    .filter(({ a, b }) => a !== b),
);
