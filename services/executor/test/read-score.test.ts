import { expect } from "chai";
import { judgedScore, repliesWithoutScore, scoreIn } from "../features/scoring/read-score.ts";

const says = (...replies: readonly string[]) =>
  replies.flatMap((content) => [
    { role: "user" as const, content: "75" },
    { role: "assistant" as const, content },
  ]);

describe("what a judge says", () => {
  it("is a score only if its last line is a bare whole number from 0 to 100", () => {
    for (const [text, score] of [
      ["0", 0],
      ["Good.\n100", 100],
      ["Good.\n 42 \n\n", 42],
      ["Good.\r\n42\r\n", 42],
    ] as const) {
      expect(scoreIn(text), text).to.equal(score);
    }
    for (const text of [
      "",
      "105",
      "-1",
      "+5",
      "8/10",
      "72.5",
      "72,5",
      "70%",
      "Score: 70",
      "70 points",
      "70\nThat is all.",
      "٧٠",
      "1e1",
      "0x10",
      "**70**",
    ]) {
      expect(scoreIn(text), text).to.equal(null);
    }
  });

  it("is null without a score, whatever users say", () => {
    expect(judgedScore([])).to.equal(null);
    expect(judgedScore(says("Good.", "8/10"))).to.equal(null);
    expect(repliesWithoutScore(says("Good.", "8/10"))).to.equal(2);
  });

  it("keeps the analysis of the scored reply, or of the first with any, without the lines for programs", () => {
    expect(judgedScore(says("First.\n105", "Second.\nTAGS: none\n50"))).to.deep.include({
      score_analysis: "Second.",
      total_score: 50,
    });
    expect(judgedScore(says("First.\nTAGS: wrong_conclusion\n8/10", "Sorry.", "20"))).to.deep.include({
      score_analysis: "First.",
      failure_tags: ["wrong_conclusion"],
    });
    expect(judgedScore(says("105", "20", "Report"))).to.deep.include({
      score_analysis: "",
      tool_improvement_report: "Report",
    });
  });

  it("names failures in a line of tags alone, and only known ones", () => {
    const tags = (text: string) => judgedScore(says(text))?.failure_tags;
    expect(tags("No hallucinated_evidence here.\nTAGS: none\n80")).to.deep.equal([]);
    expect(tags("No wrong_conclusion.\n80")).to.deep.equal([]);
    expect(
      tags("x\n**TAGS:** `wrong_conclusion`, premature_conclusion, wrong_conclusion, made_up\n10"),
    ).to.deep.equal(["premature_conclusion", "wrong_conclusion"]);
    expect(tags("TAGS: wrong_conclusion\nx\nTAGS: none\n80")).to.deep.equal([]);
  });
});
