/** Names of a unit: symbols are case-sensitive, words are not. Sizes are decimals or quotients. */
type UnitRow = readonly [names: string, size: string, offset?: string];

/**
 * Exact sizes from the SI brochure and the international yard and pound, by dimension. Units that differ between
 * countries (ton, gallon) and those without a fixed size (month) only compare among themselves, see {@link
 * looseDimensions}. A name in two rows has both meanings.
 */
export const unitTable: Readonly<Record<string, readonly UnitRow[]>> = {
  length: [
    ['nm nanometre nanometer', '1/1000000000'],
    ['μm um micrometre micrometer micron', '1/1000000'],
    ['mm millimetre millimeter', '0.001'],
    ['cm centimetre centimeter', '0.01'],
    ['dm decimetre decimeter', '0.1'],
    ['m metre meter', '1'],
    ['km kilometre kilometer', '1000'],
    ['in inch', '0.0254'],
    ['ft foot', '0.3048'],
    ['yd yard', '0.9144'],
    ['furlong', '201.168'],
    ['mi mile', '1609.344'],
    ['nmi nautical_mile', '1852'],
    ['light_year ly', '9460730472580800'],
  ],
  'length^2': [
    ['ha hectare', '10000'],
    ['acre', '4046.8564224'],
  ],
  'length^3': [
    ['ml mL millilitre milliliter cc', '1/1000000'],
    ['cl cL centilitre centiliter', '1/100000'],
    ['dl dL decilitre deciliter', '1/10000'],
    ['l L litre liter', '0.001'],
  ],
  gallons: [
    ['gal gallon', '8'],
    ['qt quart', '2'],
    ['pt pint', '1'],
  ],
  cups: [
    ['cup', '8'],
    ['fl_oz fluid_ounce', '1'],
  ],
  mass: [
    ['μg ug microgram', '1/1000000000'],
    ['mg milligram', '1/1000000'],
    ['g gram gramme', '0.001'],
    ['kg kilogram kilogramme kilo', '1'],
    ['t tonne metric_ton metric_tonne', '1000'],
    ['oz ounce', '0.028349523125'],
    ['lb lbs pound pound_mass', '0.45359237'],
    ['stone', '6.35029318'],
  ],
  tons: [['ton', '1']],
  time: [
    ['ns nanosecond', '1/1000000000'],
    ['μs us microsecond', '1/1000000'],
    ['ms millisecond', '0.001'],
    ['s sec second', '1'],
    ['min minute', '60'],
    ['h hr hour', '3600'],
    ['day', '86400'],
    ['week', '604800'],
    ['fortnight', '1209600'],
  ],
  months: [
    ['month', '1'],
    ['yr year', '12'],
    ['decade', '120'],
    ['century', '1200'],
  ],
  'length time^-1': [
    ['mps', '1'],
    ['kmh kph kmph', '1/3.6'],
    ['mph', '0.44704'],
    ['kn knot', '1852/3600'],
  ],
  temperature: [
    ['K kelvin', '1'],
    ['°C degree_c degree_celsius degree_centigrade celsius degree', '1', '273.15'],
    ['°F degree_f degree_fahrenheit fahrenheit degree', '5/9', '45967/180'],
  ],
  'length mass time^-2': [
    ['N newton', '1'],
    ['kN kilonewton', '1000'],
  ],
  'length^2 mass time^-3': [
    ['mW milliwatt', '0.001'],
    ['W watt', '1'],
    ['kW kw kilowatt', '1000'],
    ['MW megawatt', '1000000'],
    ['GW gigawatt', '1000000000'],
  ],
  'length^2 mass time^-2': [
    ['J joule', '1'],
    ['kJ kj kilojoule', '1000'],
    ['MJ megajoule', '1000000'],
    ['kWh kwh kilowatt_hour', '3600000'],
    ['MWh megawatt_hour', '3600000000'],
    ['kcal kilocalorie', '4184'],
  ],
  calories: [['cal calorie', '1']],
  'length^-1 mass time^-2': [
    ['Pa pascal', '1'],
    ['hPa hectopascal', '100'],
    ['kPa kpa kilopascal', '1000'],
    ['bar', '100000'],
    ['atm atmosphere', '101325'],
  ],
  'time^-1': [
    ['Hz hz hertz', '1'],
    ['kHz khz kilohertz', '1000'],
    ['MHz mhz megahertz', '1000000'],
    ['GHz ghz gigahertz', '1000000000'],
  ],
  voltage: [['V volt', '1']],
  current: [['ampere amp', '1']],
  angle: [['° deg degree', '1']],
  radians: [['rad radian', '1']],
  data: [
    ['bit', '1'],
    ['byte', '8'],
    ['KiB kibibyte', '8192'],
    ['MiB mebibyte', '8388608'],
    ['GiB gibibyte', '8589934592'],
  ],
  megabytes: [
    ['KB kB kilobyte', '1'],
    ['MB megabyte', '1000'],
    ['GB gigabyte', '1000000'],
    ['TB terabyte', '1000000000'],
  ],
  percent: [['% percent per_cent pct', '1']],
  USD: [
    ['$ US$ USD usd dollar us_dollar u.s_dollar', '1'],
    ['cent', '0.01'],
  ],
  EUR: [
    ['€ EUR eur euro', '1'],
    ['cent', '0.01'],
  ],
  GBP: [['£ GBP gbp pound pound_sterling british_pound', '1']],
  JPY: [['¥ JPY jpy yen', '1']],
  INR: [['₹ INR inr rupee', '1']],
};

/** Dimensions of units that compare exactly only among themselves. */
export const looseDimensions: Readonly<Record<string, string>> = {
  gallons: 'length^3',
  cups: 'length^3',
  tons: 'mass',
  // Months and years have no fixed number of days.
  months: 'time',
  calories: 'length^2 mass time^-2',
  // Pi is not rational.
  radians: 'angle',
  // Kilobytes and the like are powers of ten or of two.
  megabytes: 'data',
};
