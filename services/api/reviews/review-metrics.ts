import { Counter, type Registry } from "prom-client";
import { QUALITY_RATINGS } from "#shared/contracts/review.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";

export interface ReviewMetrics {
  readonly sessionsReviewed: Counter;
  readonly reviewsCompleted: Counter<"quality_rating">;
}

/** Creates the metrics of reviews in `registry`. */
export function createReviewMetrics(registry: Registry): ReviewMetrics {
  const registers = [registry];
  const metrics = {
    sessionsReviewed: new Counter({
      name: "tarsy_api_sessions_reviewed_total",
      help: "Sessions that a reviewer has moved to reviewed, with a rating or without",
      registers,
    }),
    reviewsCompleted: new Counter({
      name: "tarsy_api_reviews_completed_total",
      help: "Reviews completed with a rating, by rating",
      labelNames: ["quality_rating"],
      registers,
    }),
  };
  startAtZero(metrics.reviewsCompleted, { quality_rating: QUALITY_RATINGS });
  return metrics;
}
