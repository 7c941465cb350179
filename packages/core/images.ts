import type { ImageFormat } from "./formats.ts";

export type ImageStatus = "ready" | "processing" | "failed" | "blocked";
export type BlockReason = "content_policy" | "dmca" | "spam" | "terms";

export interface Image {
	readonly pk: number;
	readonly id: string;
	readonly storagePk: number;
	readonly teamHash: string;
	readonly status: ImageStatus;
	/** A moderation lock is independent of the status. */
	readonly locked: boolean;
	readonly blockReason: BlockReason | null;
	readonly nsfw: boolean;
	/** Null where the variant knows no visibility. */
	readonly public: boolean | null;
	readonly filename: string;
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Size of the stored master. */
	readonly bytes: number;
	readonly blobKey: string;
	readonly publishedMs: number;
	/** Null: permanent. */
	readonly expiresMs: number | null;
	readonly createdMs: number;
	readonly caption: string;
	readonly metadata: Readonly<Record<string, string>>;
	readonly labels: Readonly<Record<string, string>>;
	/** Rises with every change. */
	readonly revision: number;
}

/** An image that is about to be committed. */
export interface NewImage extends Omit<Image, "pk"> {
	readonly sha256: Uint8Array<ArrayBuffer>;
}
