/* What is asked of the world about images that are still being processed; see ports.ts. */

/** "lost": another worker holds the job. "gone": the image is not being processed any more, or not there. */
export type SettleRefusal = "lost" | "gone";
