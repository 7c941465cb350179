import type { ImageFormat, OutputFormat, SourceFormat } from "@svc/base/enumerations";
import type { FailureCode } from "@svc/base/failure";
import type { LogFacts } from "@svc/base/ports";
import type { FileHints, FileRules, Made, RenderAids, Stripped } from "@svc/images/ports";
import type { FileHead, Overview, Region, Spot } from "@svc/images/transform/analysis";
import type { FoundMends } from "@svc/images/transform/mends";
import type { LayerName, Transform } from "@svc/images/transform/transform";
import type { AnalysisPicture } from "../kept/analyser.ts";
import type { Price } from "./price.ts";

/* What the service asks of a worker, and what it is answered. Plain data: it goes through a pipe. */

/** A stored image. Width and height are those of the upright picture. */
export interface MasterFile {
	readonly path: string;
	readonly bytes: number;
	/** What its bytes are compared with before anything is made of them; undefined where somebody has just done that. Hexadecimal. */
	readonly sha256?: string | undefined;
	readonly format: ImageFormat;
	readonly width: number;
	readonly height: number;
	/** Which one of an animation is looked at; the first without it. */
	readonly frame?: number | undefined;
}

/** A smaller copy of a master, whose sides are divided by `factor`. */
export interface CopyFile {
	readonly factor: number;
	readonly path: string;
}

export interface MadeCopy {
	readonly factor: number;
	readonly made: Made;
}

export type LayerFiles = Partial<Record<LayerName, MasterFile>>;

/** Rules as lists, and a bound that JSON can hold. */
type RulesSent = Omit<FileRules, "formats" | "queued"> & {
	readonly formats: readonly SourceFormat[];
	readonly queued: readonly SourceFormat[];
};

/** Each kind of work: what is asked, and what is answered. */
export interface Work {
	/** Recognises, bounds and decodes a received file. Whatever is written lies beside it, its name longer by a dot and a number. */
	inspect: {
		readonly order: {
			/** With the digest of its bytes, hexadecimal. */
			readonly file: { readonly path: string; readonly bytes: number; readonly sha256: string };
			readonly hints: FileHints;
			readonly rules: RulesSent;
			/** What the decoding of one file may take: all the memory that pictures have. */
			readonly mostBytes: number;
			/**
			 * Where smaller copies are to be written, each with a dot and its factor behind, and what is served without parameters, with `.0`;
			 * undefined where nothing is wanted.
			 */
			readonly out: string | undefined;
			/** Whether its smallest size is wanted as well, with `.s`. */
			readonly smallest: boolean;
		};
		readonly answer: {
			readonly format: ImageFormat;
			readonly width: number;
			readonly height: number;
			readonly queued: boolean;
			/** What the HEIC became; undefined where the file itself is the master. */
			readonly converted:
				| { readonly path: string; readonly bytes: number; readonly sha256: Uint8Array<ArrayBuffer> }
				| undefined;
			readonly copies: readonly MadeCopy[];
			/** Undefined where it was not made. */
			readonly stripped: Stripped | undefined;
		};
	};
	render: {
		readonly order: {
			readonly master: MasterFile;
			readonly copies: readonly CopyFile[];
			readonly transform: Transform;
			readonly aids: Omit<RenderAids, LayerName>;
			/** The pictures that lie over it. */
			readonly layers: LayerFiles;
			readonly out: string;
		};
		readonly answer: { readonly format: OutputFormat; readonly made: Made };
	};
	/** The answer is undefined where the stored bytes hold nothing to remove. */
	strip: {
		readonly order: { readonly master: MasterFile; readonly out: string };
		readonly answer: { readonly made: Made | undefined };
	};
	/** Smaller copies; none where none can stand in for this master. The path of each is `out`, a dot and its factor. */
	shrink: {
		readonly order: { readonly master: MasterFile; readonly factors: readonly number[]; readonly out: string };
		readonly answer: { readonly copies: readonly MadeCopy[] };
	};
	/** The pixels that models look at. */
	picture: { readonly order: { readonly master: MasterFile }; readonly answer: AnalysisPicture };
	focus: { readonly order: { readonly picture: AnalysisPicture }; readonly answer: { readonly focus: Spot } };
	content: { readonly order: { readonly master: MasterFile }; readonly answer: { readonly content: Region | null } };
	overview: {
		readonly order: { readonly master: MasterFile; readonly copies: readonly CopyFile[] };
		readonly answer: Overview;
	};
	header: { readonly order: { readonly master: MasterFile }; readonly answer: FileHead };
	mends: { readonly order: { readonly master: MasterFile }; readonly answer: FoundMends };
	pixels: { readonly order: { readonly master: MasterFile }; readonly answer: { readonly pixels: string | null } };
}

export type OrderKind = keyof Work;
export type Order<K extends OrderKind = OrderKind> = {
	readonly [Each in K]: { readonly kind: Each } & Work[Each]["order"];
}[K];

/** An error as data. */
export interface ErrorSent {
	readonly name: string;
	readonly message: string;
	readonly stack?: string | undefined;
	/** Of the system: `ENOSPC`. */
	readonly code?: string | undefined;
	readonly cause?: ErrorSent | undefined;
}

/** How an order ended, in a worker that lives on. */
export type Outcome =
	| { readonly kind: "done"; readonly answer: unknown }
	/** A Failure that the caller is told of. */
	| {
			readonly kind: "refused";
			readonly code: FailureCode;
			readonly message: string;
			readonly details: Readonly<Record<string, readonly string[]>> | undefined;
			readonly timedOut: boolean;
			readonly retryAfterSeconds: number | undefined;
			readonly cause: ErrorSent | undefined;
	  }
	/** The header says that it takes more than was admitted; nothing was done. */
	| { readonly kind: "dearer"; readonly price: Price }
	/** A master is not what it should be, or cannot be read; nothing was made of it. */
	| { readonly kind: "damaged"; readonly path: string }
	| { readonly kind: "failed"; readonly error: ErrorSent };

/** What a worker says: first that it is there, then one of these for each order. */
export interface Said {
	/** Undefined in the first message. */
	readonly outcome: Outcome | undefined;
	/** Of this process since its start, in milliseconds. */
	readonly cpuMs: number;
	readonly rssBytes: number;
	/** What it has to say in the service's log. */
	readonly notes: readonly Note[];
	/** True when this process ends now: what failed in a way that nobody foresaw leaves nobody knows what. */
	readonly last: boolean;
}

export interface Note {
	readonly message: string;
	readonly facts: LogFacts;
}

/** What is sent: the order, and what it may take. */
export interface SentOrder {
	readonly order: Order;
	readonly admitted: Price;
}
