/** Companies by what they do; none bears a surname, so that a search for one does not find the other. */
export const companyNames: Readonly<Record<string, readonly string[]>> = {
  shipbuilding: [
    'Tidewater Yard',
    'Three Anchors Yard',
    'Longreach Slipways',
    'Blue Keel Works',
    'Stormgate Docks',
    'Cormorant Yard',
    'Kingfisher Slipways',
    'Eastwind Works',
  ],
  publishing: [
    'Heron Press',
    'Lamplight Books',
    'Seven Bells Press',
    'Compass House',
    'Marginalia Press',
    'Grey Quill',
  ],
  'tea trading': ['Amber Leaf Traders', 'Monsoon Kettle'],
  glass: ['Clearwater Glass', 'Sunfall Glassworks'],
  'rope making': ['Hempen Crown', 'Long Walk Ropes'],
  'instrument making': ['Meridian Instruments', 'Pole Star Optics'],
  'salt trading': ['White Pan Salt', 'Brine Barrow Salt'],
  ferry: ['Skerry Line', 'Northern Crossing'],
  brewing: ['Copper Gull Brewery', 'Two Tides Brewery'],
};

export const shipNames =
  list(`Grey Heron; Morning Tide; Amaranth; Silver Petrel; Wandering Star; Quiet Harbour;
  Northern Lantern; Golden Teasel; Stormcock; Evening Primrose; Bold Curlew; Far Horizon; Sea Campion; Merry Dancer;
  Black Guillemot; Winter Rose; Sandpiper; Gallant Wren; Red Kite; Harvest Moon; Distant Drum; Ivory Gull;
  Patient Tern; Summer Squall; Moonraker; Lady of Reeds; Copper Dolphin; Faithful Plover`);

export const shipTypes = ['schooner', 'brig', 'ketch', 'barque', 'cutter', 'mail packet'] as const;

export const festivalNames =
  list(`Night of Kites; Feast of First Nets; Lantern Regatta; Week of Small Boats; Bell Ringing;
  Salt Supper; Procession of Oars; Herring Fair; Day of Open Doors; Blue Ribbon Races; Kite Moon; Feast of Candles;
  Drummers Walk; Apple Launch; Long Table; Masked Ferry; Turning of Mills; Midwinter Choir; Shell Market; Wreath Throwing;
  Seven Songs; Fog Parade; Lighthouse Picnic; Return of Swifts`);

export const festivalThemes =
  list(`the return of the fishing fleet; the end of a long winter; the old pilots of the harbour;
  the first ferry to the town; a rescue that every child can retell; the harvest of the sea orchards; the craft of the boat
  builders; the songs of the net menders`);

export const lighthouseNames =
  list(`Gannet Point Light; Widow Rock Light; Cold Nose Light; Saint Orrin Light; Broken Tooth Light;
  Shoal Head Light; Trumpet Light; Finger Stack Light; Mirror Cape Light; Whistling Light; Redcap Light; Farther Light;
  Nun Reef Light; Seal Ledge Light; Dagger Point Light; Halfway Light; Old Sow Light; Pilot Stone Light`);

export const bookTitles =
  list(`The Salt Ledger; A Winter of Gulls; The Glass Pilot; Letters to a Lighthouse; The Ninth Wave;
  Songs for Empty Nets; The Mapmaker at Dusk; A House of Driftwood; The Bellfounder; Notes from a Tidal Island;
  The Drowned Orchard; An Almanac of Fog; The Ropewalk; Harbour Lessons; A Cup of Rain; The Long Ferry; Stone and Sail;
  The Keeper of Hours; Wild Thyme and Tar; The Second Compass; Under Slate Roofs; A Field Guide to Silence;
  The Weather Glass; Ballads of the Outer Sound`);

export const genres = ['novel', 'travel account', 'book of verse', 'memoir', 'collection of tales'] as const;

export const collegeNames =
  list(`Lantern Hill College; Old Cloister Academy; Nautical School of Merrow; Quadrant College;
  Fernbank Academy; Harbour Conservatory; Sextant Institute; Meadow Gate College; Rain Street Academy; Tower School of Arts`);

export const specialties = [
  'navigation',
  'botany',
  'music',
  'engineering',
  'astronomy',
  'law',
  'medicine',
] as const;

export const occupations = [
  'engineer',
  'cartographer',
  'poet',
  'botanist',
  'composer',
  'painter',
  'astronomer',
  'shipwright',
  'printer',
  'physician',
] as const;

export const crafts =
  list(`glass blowing; rope making; bell casting; lace; boat building; pottery; bookbinding; wood carving;
  sail making; silver work; basket weaving; clock making`);

export const products = list(
  `sea salt; smoked herring; wool; slate; cider; honey; seaweed; copper; timber; oysters; barley; peat`,
);

function list(text: string): string[] {
  return text.split(';').map((item) => item.replace(/\s+/g, ' ').trim());
}
