import { expect } from "chai";
import { evidenceUpTo } from "../pacing/evidence-up-to.ts";

const alert = (ordinal: number, data: string | null = `alert ${ordinal}`) => ({
  alert_id: `00000000-0000-4000-8000-0000000000${String(ordinal).padStart(2, "0")}`,
  ordinal,
  is_resolved: ordinal === 3,
  effect: null,
  data,
  received_at: "2026-01-01T10:00:00.123Z",
});
const shown = (ordinal: number) => ({
  ordinal,
  received_at: "2026-01-01T10:00:00Z",
  is_resolved: ordinal === 3,
  data: `alert ${ordinal}`,
  left_out: 0,
});

describe("alerts up to one of them", () => {
  const unread = {
    count: 4,
    through: 5,
    newest: [5, 4, 3, 2].map(shown),
    characters_read: 7,
    last_message: 9,
  };
  const alerts = [1, 2, 3, 4, 5].map((ordinal) => alert(ordinal));

  it("are those that an agent had not read before the later ones, of which another has heard", () => {
    expect(evidenceUpTo(3, unread, alerts)).to.deep.equal({
      ...unread,
      count: 2,
      through: 3,
      newest: [shown(3), shown(2)],
    });
    expect(evidenceUpTo(5, unread, alerts)).to.equal(unread);
    const rest = evidenceUpTo(4, { ...unread, count: 2 }, alerts);
    expect(rest.newest).to.deep.equal([shown(4)]);
  });

  it("are shown and cut as the database does it", () => {
    const many = Array.from({ length: 40 }, (_, index) => alert(index + 1));
    const { newest, count } = evidenceUpTo(30, { ...unread, count: 39, through: 40 }, many);
    expect(count).to.equal(29);
    expect(newest.map(({ ordinal }) => ordinal)).to.deep.equal(Array.from({ length: 20 }, (_, n) => 30 - n));
    const texts = [alert(1), alert(2, "💾".repeat(8_003)), alert(3, null)];
    const cut = evidenceUpTo(3, unread, texts).newest;
    expect(cut.map(({ data, left_out }) => [data?.length, left_out])).to.deep.equal([
      [undefined, 0],
      [16_000, 3],
    ]);
  });
});
