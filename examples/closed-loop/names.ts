/** The sea of each group of islands. */
export const seas = ['Pale Sea', 'Sea of Lanterns', 'Gulf of Merrow', 'Outer Sound'] as const;

/** Cities on the mainland: named in the atlas, without pages. */
export const mainlandCities = [
  'Tarskholm',
  'Great Orrin',
  'Velmouth',
  'Kasterby',
  'Dunmarch',
  'Ilverton',
] as const;

export const islandNames = words(
  `Veyra Ostrand Brannoch Tessaly Marrowin Eldmere Quillan Harrosk Lindrey Pellamar Corvane Yselde Thornay
   Gresholm Amberlow Duskerry Fennoway Skarne Orlune Wethersay Kestrane Morvale Isenby Runswold`,
);

export const peakNames = words(
  `Calder Hestrel Voss Anvil Tarn Wyke Sorrow Belfry Ember Hollin Karst Lorn Merle Needle Oriel Pike Quern
   Rook Saddle Thrush Umber Vane Whin Yarrow`,
).map((word) => `Mount ${word}`);

export const townNames = words(
  `Ashgarrow Bellhaven Candlewick Drumholt Eastmarch Fairhollow Gullsend Hartwater Inkerby Jasperton Kelderry
   Lowminster Mistlethorpe Netherquay Oakenstrand Pilgrimsgate Quayle Ravensmoor Saltersby Tidewick Underfell
   Vinterby Wrenfold Yarborough Zelderhaven Anchorby Brightlees Coldharrow Dovecombe Elverstrand Foxmoor
   Greywater Hollowmere Ironquay Juniper Kingsferry Larkswold Millbrack Nightingale Orchardby Pebblecross
   Quenby Rushmoor Silverlode Thistledown Upperwell Windrush Whitmarsh`,
);

export const givenNames = {
  she: words(
    `Mara Ilse Tamsin Edda Corinne Brida Selma Odile Hanne Petra Livia Rosamund Freya Agathe Wilma Noémie
     Yrsa Dagny Beatrix Leonie Marit Zélie Thea Ottoline Ingrid Sabine Clemence Ursula Vesna Gudrun`,
  ),
  he: words(
    `Jonas Aldric Piers Tobias Emeric Hugo Casper Rurik Silas Anselm Bastian Lorenz Osric Edmund Gerrit Matthis
     Vidar Cyril Leopold Hannes Rowan Balthazar Ivo Sören Magnus Florian Dorian Ulrich Theodor Benedikt`,
  ),
} as const;

export const surnames = words(
  `Ostrel Vanterpool Quist Hallowell Brandt Torvald Aumont Fenwright Sarkany Lindqvist Moorcock Pellegrin Rask
   Ambrey Dunmore Ekeland Fairbairn Grantley Hartvig Isherwood Jessop Kallander Lockhart Merriden Nordahl
   Oxenham Pardoe Quarles Rosenvinge Stillman Tregarth Ullathorne Verrall Wychwood Yardley Zimmer Aldous
   Birkeland Calthorpe Drummond Elphick Falkner Gorringe Haverkamp Ingledew Jarnefelt Kestelman Lovelace
   Marchbanks Nightshade Ogilvy Penhallow Quennell Ravenscroft Sandoval Thackeray Uppingham Vosper Winterbourne
   Yelverton Abernathy Blackadder Coppersmith Dalrymple Everard Featherstone Goldsworthy Hornblower Ironmonger
   Jermyn Kirkbride Lanyon Mountjoy Netherby Overbury Pumphrey Quickenden Rutherglen Summerhayes Tolliver
   Underhay Venner Whitgift Yonge Ashdown Bracegirdle Cavanagh Delaroche Enderby Fotheringay Gainsford
   Hathersage Inverarity Kellaway Liddicoat Maplethorpe`,
);

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}
