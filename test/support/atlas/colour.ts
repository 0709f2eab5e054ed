import type { Kind } from './entity.ts';

/** Sentences without facts that anyone asks for, on companies. */
const companyColour: readonly string[] = [
  'Its first order book, bound in sailcloth, lies in a glass case by the entrance.',
  'Wages were paid in coin and coal for the first {n} years, and older neighbours still speak well of it.',
  'A fire destroyed the original sheds one {month}, and the staff rebuilt them without missing a delivery.',
  'The company brass band has {n} players and a waiting list.',
  'Apprentices are taken on in pairs, on the theory that two can ask what one would not.',
  'It opened a branch in {town2}, which was closed again after a quarrel over the colour of the door.',
  'The trade mark, a wave under a star, was drawn by a clerk on the back of an envelope.',
  'Customers on {island2} are served first, in memory of a loan that saved the firm.',
  'It shares its profits with the workforce every {month}, an arrangement copied by few competitors.',
  'Visitors may watch the work from a gallery, provided they do not give advice.',
  'The ledgers show {n} bad years, each marked in the margin with a small drawing of a cloud.',
  'For a time it printed its own tokens, which shops all over the isles took as money.',
  'A dog has been listed among the night watch for {n} generations of dogs.',
];

/** The same for ships. */
const shipColour: readonly string[] = [
  'Her figurehead, a woman with a lantern, was carved from a single trunk of driftwood.',
  'She carried mail, sheep and once a piano, which was played all the way to {town2}.',
  'In a gale one {month} she lost her foremast and came home {n} days late under a blanket for a sail.',
  'The crew of {n} slept in shifts, and the cook was the only one with a bunk of his own.',
  'Her bell now hangs in a school and is rung at the end of every term.',
  'She was fast off the wind and stubborn on it, and those who sailed her forgave the second for the first.',
  'A cat was signed on before every voyage, with a thumbprint of ink in the muster roll.',
  'She ran aground off {island2} and floated free on the next tide with hardly a scratch.',
  'Painters liked her for the tan of her sails, which came from oak bark and was never the same twice.',
  'Her log, {n} volumes of it, is a favourite source for students of the weather.',
  'After a refit she took passengers, who paid extra for a chair.',
  'Regattas were never her business, yet she won {n} of them by mistake.',
];

/** The same for festivals. */
const festivalColour: readonly string[] = [
  'The evening opens with {n} drummers walking backwards through the lanes, so as to face the crowd.',
  'Nobody may buy a drink for himself that night, and nobody goes thirsty.',
  'Strangers are given a ribbon at the gate and are expected to dance with whoever wears its twin.',
  'In wet years it moves into the boat sheds, and most people prefer the wet years.',
  'A prize of {n} herrings goes to the worst song, and competition for it is fierce.',
  'Bakers begin two days ahead, since every household must send a loaf to the long tables.',
  'It was cancelled only once, when fog kept the musicians in {town2}.',
  'The oldest inhabitant lights the first lamp and the youngest blows it out.',
  'Boats from {island2} arrive in procession and are greeted by name from the quay.',
  'A speech of exactly {n} words is read out, and anyone who adds one pays for the fireworks.',
  'Children sell paper gulls, and the money goes to the lifeboat.',
  'Those who cannot come are sent a candle stub, which is supposed to bring good weather.',
];

/** The same for books. */
const bookColour: readonly string[] = [
  'The manuscript was lost on a ferry and turned up {n} years later in a box of tea.',
  'Reviewers on the mainland found it slow; readers on the islands learned whole pages by heart.',
  'It runs to {n} short chapters, each headed by a line from a tide table.',
  'A first edition on rag paper is shown every {month} in the reading room of {town2}.',
  'The illustrations were cut in pear wood by a prisoner who asked to stay unnamed.',
  'Schools set it for the top form, with the eleventh chapter left out.',
  'Two endings are in print, and families are known to be divided over them.',
  'The opening sentence is quoted on tea towels, rarely correctly.',
  'It has been put on the stage {n} times, always with a real boat.',
  'Critics have looked for its characters among real people, and real people have claimed to be them.',
  'The only translation was made on {island2} by a retired harbour master.',
  'Its author burned the sequel and served the guests potatoes baked in the ashes.',
];

/** Sentences without facts that anyone asks for, on the islands. */
const islandColour: readonly string[] = [
  'A single road of {n} kilometres circles the coast, and the mail cart still needs a whole day for it.',
  'In {month} the cliffs are white with nesting gannets, and the harbour bell is silenced so as not to scare them.',
  'Fresh water is scarce: every roof has its gutter, and every gutter its barrel.',
  'The western shore is all shingle and wind, while the east has beaches where children learn to sail.',
  'Old field walls run straight into the water, a sign that the sea once stood {n} metres lower.',
  'Ferries from {town2} arrive twice a week, weather permitting, and the whole quay turns out to meet them.',
  'Its dialect keeps a dozen words for fog, and islanders insist that none of them means quite the same.',
  'The interior is heath and peat, crossed by footpaths that the council marks with painted stones.',
  'Geologists come for the sea caves, the longest of which has been followed for {n} kilometres.',
  'A parliament of shepherds meets here each {month} to divide the common pasture by drawing lots.',
  'Two attempts to build a railway ended with {n} metres of track, now the favourite walk of the old.',
  'Seen from {island2} on a clear evening, its outline is said to look like a sleeping dog.',
  'The winters are mild and very wet, and the first flowers open in sheltered gardens before the year is out.',
  'Wrecks lie all around it, and divers have brought up {n} bells, which ring together on midsummer day.',
];

/** The same for towns. */
const townColour: readonly string[] = [
  'The market square is paved with ballast from foreign ships, no two stones of one colour.',
  'A covered bridge of {n} metres joins the old quarter to the newer streets across the creek.',
  'On market days boats from {town2} tie up three deep, and bargaining goes on from deck to deck.',
  'The town hall clock has run {n} minutes fast for as long as there have been timetables, and nobody dares to mend it.',
  'Steep lanes lead down to the quay, some of them so narrow that neighbours shake hands across them.',
  'After the great fire the houses were rebuilt in stone, with the slate roofs that give the place its grey look.',
  'Its football club has not won a match away from home in {n} years, a record of which it is fond.',
  'A small museum behind the church keeps model ships, stuffed sea birds and the letters of emigrants.',
  'The sea wall was raised after the storm of one {month}, when boats were found among the apple trees.',
  'Every schoolchild knows the {n} bells of the harbour chapel by name and can tell them apart by ear.',
  'Bakers here make a dark bread with seaweed in it, which travellers praise and rarely buy twice.',
  'The road to the north ends at a gate, a bench and a view that painters have made famous.',
  'A rope ferry crosses the river mouth in {n} minutes and has never carried a motor car.',
  'The library lends fishing rods as well as books, and both are fined when they come back late.',
];

/** The same for lighthouses. */
const lighthouseColour: readonly string[] = [
  'The stair has {n} steps, and the keepers painted every tenth one red to rest on.',
  'The lens was carried up in pieces packed in wool, and not one of them was scratched.',
  'Before the tower stood, a fire basket on the rocks did its duty, whenever somebody remembered to feed it.',
  'Storms have twice broken the lantern glass, but the light itself has never failed.',
  'The last keeper left a garden of cabbages behind the wall, which visitors are asked to water.',
  'A fog horn was added later and taken out again after {n} complaints from {town2}.',
  'Its white walls carry a single black band, so that sailors do not take it for a chapel.',
  'Rooms at the foot of the tower can be rented in {month}, when the nights are clear and the ghosts, it is said, away.',
  'The logbooks run without a gap and record, besides the weather, {n} proposals of marriage.',
  'At low tide it can be reached on foot; at high tide guests learn patience.',
  'The beam reaches {n} sea miles and sweeps over bedrooms whose owners have long stopped noticing.',
  'Supplies came by rope and basket until a proper landing was cut into the rock.',
];

/** The same for schools. */
const collegeColour: readonly string[] = [
  'Lessons began in a net loft with {n} pupils and a single blackboard, which is kept under glass.',
  'New students are rowed across the harbour by the oldest teacher, and are told to look back only once.',
  'Its library of {n} thousand volumes is open all night, a custom that goes back to a lost key.',
  'Examinations are held in {month}, always outdoors, and are stopped for nothing short of hail.',
  'The school song has eleven verses, of which only the chorus is fit for visitors.',
  'Scholars from {island2} live free of charge in the east wing under an old treaty.',
  'A stuffed albatross presides over the dining hall and wears a gown on feast days.',
  'Its observatory is small, but the comet found from it made the papers on the mainland.',
  'The cloister garden is tended by the students, who may eat what they grow.',
  'About {n} graduates leave every year, most of them by boat and many of them singing.',
  'Lectures are free to anyone who brings a chair.',
];

/** Sentences on lives, without facts that anyone asks for. */
const personColour: readonly string[] = [
  '{He} rose before dawn all {his} life and held that nothing sensible was ever said after supper.',
  'Letters to a cousin in {town2} show a dry humour that the public seldom saw.',
  '{He} owned {n} clocks, no two of which agreed, and claimed to like the company.',
  'A fever in {his} youth left {him} deaf in one ear, which {he} turned towards bores.',
  'Colleagues remembered {his} patience with beginners and {his} impatience with committees.',
  'For some years {he} lived on {island2}, where a bench on the cliff path is named after {him}.',
  '{His} notebooks, {n} in all, are full of pressed flowers and unpaid bills.',
  "{He} never married, but brought up {his} sister's children and several of the neighbours'.",
  'Every {month} {he} gave a dinner for old rivals, with a prize for the best insult.',
  '{He} refused a medal twice and accepted it the third time, since by then it came with a pension.',
  'A portrait in the town hall shows {him} with a book held upside down, at {his} own request.',
  '{He} walked the whole coast with a measuring chain, partly for science and partly for a bet.',
  '{His} house burned down, and {he} was heard to remark that it had always been draughty.',
  'In old age {he} taught chess to dockers and lost to most of them.',
  'Contemporaries disagreed about {his} manners, but not about {his} gifts.',
  'The funeral drew {n} boats, which followed the coffin across the bay with flags at half mast.',
  '{He} kept bees, wrote about them badly and sold the honey well.',
  'A street in {town2} bears {his} name, misspelt on one end.',
];

/** What makes an article pleasant to read, by kind. `{n}`, `{month}`, `{town2}` and `{island2}` are drawn for each. */
export const colour: Readonly<Record<Kind, readonly string[]>> = {
  island: islandColour,
  town: townColour,
  person: personColour,
  company: companyColour,
  ship: shipColour,
  festival: festivalColour,
  lighthouse: lighthouseColour,
  book: bookColour,
  college: collegeColour,
};
