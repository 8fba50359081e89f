/** What a score says of a conclusion: the bands that the judge is given. */
type ScoreBand = "right" | "partly" | "wrong";

const RIGHT = 60;
const PARTLY = 35;

/** The band of a score from 0 to 100. */
export function scoreBand(score: number): ScoreBand {
  if (score >= RIGHT) return "right";
  return score >= PARTLY ? "partly" : "wrong";
}
