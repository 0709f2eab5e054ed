/** What a unit measures, and how its amounts compare with those of others of its dimension. */
export interface Unit {
  readonly dimension: string;
  /** Amount of the dimension's base unit in one of this unit. */
  readonly factor: number;
  /** Added after the multiplication; for temperatures. */
  readonly offset: number;
}

/** Names of one unit: symbols are case-sensitive, words are not. */
type Row = readonly [names: string, factor: number, offset?: number];

/**
 * Exact factors of the SI brochure and of the international yard and pound. Units that mean different amounts in
 * different countries (ton, gallon, pint, billion-dollar currencies) are dimensions of their own: nothing is guessed.
 */
const table: Readonly<Record<string, readonly Row[]>> = {
  length: [
    ['nm nanometre nanometer', 1e-9],
    ['µm μm um micrometre micrometer micron', 1e-6],
    ['mm millimetre millimeter', 1e-3],
    ['cm centimetre centimeter', 1e-2],
    ['dm decimetre decimeter', 1e-1],
    ['m metre meter', 1],
    ['km kilometre kilometer', 1e3],
    ['in inch', 0.0254],
    ['ft foot', 0.3048],
    ['yd yard', 0.9144],
    ['mi mile', 1609.344],
    ['nmi nautical_mile', 1852],
    ['light-year light_year ly', 9_460_730_472_580_800],
  ],
  area: [
    ['mm2 mm^2 square_millimetre square_millimeter', 1e-6],
    ['cm2 cm^2 sq_cm square_centimetre square_centimeter', 1e-4],
    ['m2 m^2 sq_m square_metre square_meter', 1],
    ['ha hectare', 1e4],
    ['km2 km^2 sq_km square_kilometre square_kilometer', 1e6],
    ['ft2 ft^2 sq_ft square_foot', 0.3048 ** 2],
    ['acre', 4046.8564224],
    ['mi2 mi^2 sq_mi square_mile', 1609.344 ** 2],
  ],
  volume: [
    ['ml mL millilitre milliliter cm3 cm^3 cubic_centimetre cubic_centimeter', 1e-6],
    ['cl cL centilitre centiliter', 1e-5],
    ['l L litre liter', 1e-3],
    ['m3 m^3 cubic_metre cubic_meter', 1],
    ['km3 km^3 cubic_kilometre cubic_kilometer', 1e9],
  ],
  mass: [
    ['µg μg ug microgram', 1e-9],
    ['mg milligram', 1e-6],
    ['g gram gramme', 1e-3],
    ['kg kilogram kilogramme kilo', 1],
    ['t tonne metric_ton metric_tonne', 1e3],
    ['oz ounce', 0.028349523125],
    ['lb lbs pound_mass', 0.45359237],
  ],
  time: [
    ['ns nanosecond', 1e-9],
    ['µs μs us microsecond', 1e-6],
    ['ms millisecond', 1e-3],
    ['s sec second', 1],
    ['min minute', 60],
    ['h hr hour', 3600],
    ['day', 86_400],
    ['week', 604_800],
  ],
  // Months and years have no fixed number of days.
  months: [
    ['month', 1],
    ['yr year', 12],
    ['decade', 120],
    ['century', 1200],
  ],
  speed: [
    ['m/s mps metre/second meter/second', 1],
    ['km/s kilometre/second kilometer/second', 1e3],
    ['km/h kmh kph kilometre/hour kilometer/hour', 1 / 3.6],
    ['mph mi/h mile/hour', 0.44704],
    ['kn knot', 1852 / 3600],
  ],
  temperature: [
    ['K kelvin', 1],
    ['°C ℃ degree_celsius degree_centigrade celsius', 1, 273.15],
    ['°F ℉ degree_fahrenheit fahrenheit', 5 / 9, 273.15 - 160 / 9],
  ],
  power: [
    ['mW milliwatt', 1e-3],
    ['W watt', 1],
    ['kW kilowatt', 1e3],
    ['MW megawatt', 1e6],
    ['GW gigawatt', 1e9],
  ],
  energy: [
    ['J joule', 1],
    ['kJ kilojoule', 1e3],
    ['MJ megajoule', 1e6],
    ['kWh kilowatt_hour', 3.6e6],
    ['MWh megawatt_hour', 3.6e9],
  ],
  pressure: [
    ['Pa pascal', 1],
    ['hPa hectopascal', 1e2],
    ['kPa kilopascal', 1e3],
    ['bar', 1e5],
  ],
  frequency: [
    ['Hz hertz', 1],
    ['kHz kilohertz', 1e3],
    ['MHz megahertz', 1e6],
    ['GHz gigahertz', 1e9],
  ],
  angle: [['° deg degree', 1]],
  data: [
    ['byte', 1],
    ['KiB kibibyte', 1024],
    ['MiB mebibyte', 1024 ** 2],
    ['GiB gibibyte', 1024 ** 3],
  ],
  // Kilobytes and the like are powers of ten or of two; they only compare among themselves.
  megabytes: [
    ['KB kB kilobyte', 1],
    ['MB megabyte', 1e3],
    ['GB gigabyte', 1e6],
    ['TB terabyte', 1e9],
  ],
  percent: [['% percent per_cent pct', 1]],
  USD: [['$ US$ USD usd dollar us_dollar u.s._dollar', 1]],
  EUR: [['€ EUR eur euro', 1]],
  GBP: [['£ GBP gbp pound_sterling british_pound', 1]],
  JPY: [['¥ JPY jpy yen', 1]],
  INR: [['₹ INR inr rupee', 1]],
  // Money or weight: only the words around it tell.
  pound: [['pound', 1]],
};

const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['feet', 'foot'],
  ['inches', 'inch'],
  ['centuries', 'century'],
]);

const units = new Map<string, Unit>(
  Object.entries(table).flatMap(([dimension, rows]) =>
    rows.flatMap(([names, factor, offset = 0]) =>
      names.split(' ').map((name): [string, Unit] => [name.normalize('NFKC'), { dimension, factor, offset }]),
    ),
  ),
);

/** Dimensions that an answer may leave unsaid: `$100` and `100`, `20%` and `20`. */
export const unsaidDimensions: ReadonlySet<string> = new Set(['percent', 'USD', 'EUR', 'GBP', 'JPY', 'INR']);

/** The unit of a symbol or of words such as `square kilometres`, `km per hour`; undefined when it is not known. */
export function findUnit(text: string): Unit | undefined {
  const name = text
    .replace(/(?<=\w)\.$/, '')
    .replace(/ per (?!cent\b)| ?\/ ?/g, '/')
    .replaceAll(' ', '_');
  const known = units.get(name);
  // `KM` is `km`, while `M` is not `m`, nor `Mg` `mg`.
  return known || /^(?:.|M.)$/u.test(name) ? known : units.get(singular(name.toLowerCase()));
}

/** Each part of a name in the singular: `kilometers/hour`, `degrees_celsius`, `nautical_miles`. */
function singular(name: string): string {
  return name.replace(/[a-z]+/g, (word) => {
    const irregular = irregularPlurals.get(word);
    if (irregular !== undefined) return irregular;
    const isPlural = word.length > 3 && word.endsWith('s') && !['celsius'].includes(word);
    return isPlural && !units.has(word) ? word.slice(0, -1) : word;
  });
}
