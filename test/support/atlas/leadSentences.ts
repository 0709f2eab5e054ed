import type { Kind } from './entity.ts';

/** How a life is told. `{He}`, `{he}`, `{His}`, `{his}` and `{him}` follow the person. */
const personSentences: readonly (readonly string[])[] = [
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

/**
 * One sentence, said in different ways. `{fact}` stands for a fact of the entity, `{name}` for its name. The words
 * before a slot are what finds the value again, so no two facts of a kind may share them.
 */
export type Variants = readonly string[];

const island: readonly Variants[] = [
  [
    '{name} is an island of {area} square kilometres in the {sea}.',
    'The island of {name} covers {area} square kilometres of the {sea}.',
    'With an area of {area} square kilometres, {name} is one of the islands of the {sea}.',
  ],
  [
    'Its capital is {capital}, and {population} people live on the island.',
    'Some {population} people call it home, and the chief town is {capital}.',
    'The island council meets in {capital}; the last count found {population} inhabitants.',
  ],
  [
    'The ground rises to {height} metres at {peak}, the highest point.',
    'Its highest point, {peak}, stands {height} metres above the sea.',
    'Climbers come for {peak}, which at {height} metres is the highest point of the island.',
  ],
  [
    'The first chart of its coast was drawn in {charted} by {navigator}.',
    'It entered the maps in {charted}, when its coast was first charted by {navigator}.',
    'The navigator {navigator} charted it for the first time in {charted}.',
  ],
  [
    'The island lives on {product}.',
    'Most families still earn their bread with {product}.',
    'For as long as anyone remembers, its ships have left laden with {product}.',
  ],
];

const town: readonly Variants[] = [
  [
    '{name} is a town on the island of {island}.',
    'The town of {name} lies on {island}, where its houses climb the slope behind the harbour.',
    'On the coast of {island}, sheltered from the west wind, lies the town of {name}.',
  ],
  [
    'It was founded in {founded} by {founder}.',
    'The settler {founder} laid out its first streets in {founded}.',
    'Its charter dates from {founded} and names as founder {founder}.',
  ],
  [
    'The population is {population}.',
    'At the last count it had {population} inhabitants.',
    'Today it is home to {population} people.',
  ],
  [
    'The town is known for {craft}.',
    'Its workshops made their name with {craft}.',
    'Visitors come to see the old art of {craft}, which is still taught here.',
  ],
];

const company: readonly Variants[] = [
  [
    '{name} is a {industry} company with its head office in {seat}.',
    '{name}, a {industry} company, has its seat in {seat}.',
    'From its offices in {seat}, {name} runs the best-known {industry} business of the region.',
  ],
  [
    'It was set up in {founded} by {founder}.',
    'The founder was {founder}, who opened the doors in {founded}.',
    'The business goes back to {founded}, when the first hands were hired by {founder}.',
  ],
  [
    'It employs {employees} people.',
    'There are {employees} names on the payroll.',
    'The staff numbers {employees}.',
  ],
];

const ship: readonly Variants[] = [
  [
    'The {name} is a {type} of {length} metres whose home port is {port}.',
    'The {name}, a {type}, measures {length} metres and sails out of {port}.',
    'Registered at {port}, the {name} is a {type} with a length of {length} metres.',
  ],
  [
    'She was built by {builder} and launched in {launched}.',
    'Her keel was laid at {builder}, and the launch followed in {launched}.',
    'Launched in {launched}, she came from the slips of {builder}.',
  ],
  [
    'Her first captain was {captain}.',
    'The first to command her was {captain}.',
    'On her maiden voyage she sailed under {captain}.',
  ],
];

const festival: readonly Variants[] = [
  [
    'The {name} is a festival that is held in {town} every {month}.',
    'Every {month} visitors fill the streets of {town} for the {name}, the great festival of the year.',
    'The {name}, a festival in {month}, belongs to {town} as much as the harbour does.',
  ],
  [
    'It was first held in {first_held} at the suggestion of {founder}.',
    'The first one took place in {first_held} and was organised by {founder}.',
    'The idea came from {founder}, and the first edition followed in {first_held}.',
  ],
  ['It celebrates {theme}.', 'The festival honours {theme}.', 'At its heart stands {theme}.'],
];

const lighthouse: readonly Variants[] = [
  [
    '{name} is a lighthouse of {height} metres on the coast of {island}.',
    'The tower of {name}, {height} metres tall, warns ships off the reefs of {island}.',
    'Ships bound for the island of {island} steer by {name}, a lighthouse of {height} metres.',
  ],
  [
    'It was completed in {built} to plans by {architect}.',
    'The architect was {architect}, and the lamp was first lit in {built}.',
    'Its light has burned since {built}; the tower was designed by {architect}.',
  ],
];

const book: readonly Variants[] = [
  [
    '{name} is a {genre} by {author}, published in {published} by {publisher}.',
    'The {genre} {name} was written by {author} and brought out in {published} by {publisher}.',
    'With {name}, a {genre}, the author {author} found a wide public; it was printed in {published} by {publisher}.',
  ],
  [
    'It is set on {subject}.',
    'Its chapters describe life on {subject}.',
    'The scene throughout is the island of {subject}.',
  ],
];

const college: readonly Variants[] = [
  [
    '{name} is a school of {specialty} in {town}.',
    '{name}, in the town of {town}, teaches {specialty}.',
    'Students of {specialty} from all the islands come to {town} to attend {name}.',
  ],
  [
    'It was opened in {opened} by {founder}.',
    'The founder was {founder}, who gave the first lecture in {opened}.',
    'Its doors opened in {opened}, thanks to a gift from {founder}.',
  ],
];

/** The sentences that open the article of each kind; together they hold every fact that questions ask for. */
export const leadSentences: Readonly<Record<Kind, readonly Variants[]>> = {
  island,
  town,
  person: personSentences,
  company,
  ship,
  festival,
  lighthouse,
  book,
  college,
};
