/**
 * Words of a query that do not describe a tool: function words and polite phrases. Definitions keep
 * them, so that a query of nothing else can still match.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those there here it its " +
    "of to in on at for from by with into out up down about as via than " +
    "and or nor not no if then else so but because while " +
    "is are was were be been being am do does did done have has had having " +
    "can could should would will shall may might must " +
    "i me my mine we us our you your he she they them their his her " +
    "what which who whom whose when where why how " +
    "all any some each every only own same too very also just " +
    "please want need like let lets help give tell using use"
  ).split(" "),
);

/** The same with contractions, whose apostrophe many people leave out: "whats", "don't" (see `splitQuery`). */
export const FILLER_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...(
    "whats hows wheres whos thats im ive dont doesnt didnt cant couldnt wont wouldnt shouldnt " +
    "isnt arent wasnt werent hasnt havent hadnt"
  ).split(" "),
]);
