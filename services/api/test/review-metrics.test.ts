import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ReviewResponse } from "../reviews/contract.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const parseResults = compileParser("review response", ReviewResponse);

describe("the metrics of reviews", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const isDone = async (id: string, action: string, quality_rating?: string) => {
    const { text } = await api.raw("PATCH", "/api/v1/sessions/review", {
      body: Buffer.from(JSON.stringify({ session_ids: [id], action, quality_rating })),
      headers: { "content-type": "application/json" },
    });
    return parseResults(JSON.parse(text)).results.every(({ success }) => success);
  };
  const counts = async () => {
    const { sessionsReviewed, reviewsCompleted } = api.deps.metrics;
    const [sessions] = (await sessionsReviewed.get()).values;
    const ratings = (await reviewsCompleted.get()).values;
    return [
      `sessions ${sessions?.value}`,
      ...ratings.map(({ labels, value }) => `${labels.quality_rating} ${value}`),
    ];
  };

  it("count sessions that were reviewed, and completed reviews by their rating", async () => {
    const zeros = ["sessions 0", "accurate 0", "partially_accurate 0", "inaccurate 0"];
    expect(await counts()).to.deep.equal(zeros);
    const [rated, read] = [await seedSession(api.db), await seedSession(api.db)];
    expect(await isDone(rated, "claim")).to.equal(true);
    expect(await counts()).to.deep.equal(zeros);
    expect(await isDone(rated, "complete", "accurate")).to.equal(true);
    // A further completion is a review of the same session; an edit is neither.
    expect(await isDone(rated, "complete", "inaccurate")).to.equal(true);
    expect(await isDone(rated, "update_feedback", "accurate")).to.equal(true);
    expect(await isDone(read, "acknowledge")).to.equal(true);
    const once = ["sessions 2", "accurate 1", "partially_accurate 0", "inaccurate 1"];
    expect(await counts()).to.deep.equal(once);
    expect(await isDone(rated, "claim")).to.equal(false);
    expect(await counts()).to.deep.equal(once);
    expect(await isDone(rated, "reopen")).to.equal(true);
    expect(await isDone(rated, "complete", "partially_accurate")).to.equal(true);
    expect(await counts()).to.deep.equal([
      "sessions 3",
      "accurate 1",
      "partially_accurate 1",
      "inaccurate 1",
    ]);
  });
});
