/** Sentences without facts that anyone asks for, on the islands. */
export const islandColour: readonly string[] = [
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
export const townColour: readonly string[] = [
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
export const lighthouseColour: readonly string[] = [
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
export const collegeColour: readonly string[] = [
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
