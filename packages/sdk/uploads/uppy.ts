import { checkArguments } from "../wire/check.ts";
import { ADD_TICKET_UPLOADER } from "../wire/takes.ts";
import { type TicketSource, ticketUploads } from "./ticket-queue.ts";
import type { UploadProgress } from "./upload.ts";

/** The part of a file of Uppy's that is used. */
export interface UppyFile {
	readonly id: string;
	readonly name?: string | undefined;
	readonly type?: string | undefined;
	readonly size: number | null;
	readonly progress: { readonly uploadStarted: number | null };
	readonly meta: Readonly<Record<string, unknown>>;
	/** A Blob, unless it lies with a provider. */
	readonly data?: unknown;
}

/** The part of Uppy that is used: nothing of it is needed at run time. */
export interface Uploading {
	addUploader(uploader: (ids: string[]) => Promise<void>): void;
	removeUploader(uploader: (ids: string[]) => Promise<void>): unknown;
	getFile(id: string): UppyFile;
	emit(event: string, ...facts: readonly unknown[]): void;
	on(event: string, listener: (file: UppyFile) => void): unknown;
	off(event: string, listener: (file: UppyFile) => void): unknown;
}

export interface UppyTicketOptions {
	/** Asks your backend for an upload ticket, and gives its `url`: `async () => (await fetch("/tickets", { method: "POST" })).text()`. */
	readonly ticket: TicketSource<UppyFile>;
	/** How many files are sent at once. Default: 4. */
	readonly limit?: number | undefined;
	/** As in `uploadWithTicket`. Default: 5. */
	readonly retries?: number | undefined;
}

/**
 * Lets Uppy upload with tickets: `addTicketUploader(new Uppy(), { ticket })`, in place of a plugin such as XHRUpload. `upload-success` carries the Image as
 * `body`, and its address as `uploadURL`.
 * @returns a function that undoes it
 */
export function addTicketUploader(uppy: Uploading, options: UppyTicketOptions): () => void {
	checkArguments("addTicketUploader", ADD_TICKET_UPLOADER, [uppy, options]);
	const { ticket, limit = 4, retries } = options;
	const send = ticketUploads(ticket);

	async function upload(id: string): Promise<void> {
		const file = fileOf(uppy, id);
		if (file === undefined) return;
		const controller = new AbortController();
		const stop = whenRemoved(uppy, id, () => controller.abort());
		const { signal } = controller;
		try {
			if (!(file.data instanceof Blob))
				throw new TypeError("Only files of this machine can be uploaded with a ticket.");
			const onProgress = (progress: UploadProgress) => report(uppy, id, progress);
			const image = await send(file, file.data, { signal, retries, filename: file.name, onProgress });
			uppy.emit("upload-success", fileOf(uppy, id), { status: 201, body: image, uploadURL: image.url });
		} catch (error) {
			if (!signal.aborted) uppy.emit("upload-error", fileOf(uppy, id), error);
		} finally {
			stop();
		}
	}

	async function uploader(ids: string[]): Promise<void> {
		const files = ids.map((id) => fileOf(uppy, id)).filter((file) => file !== undefined);
		uppy.emit("upload-start", files);
		const waiting = files.map(({ id }) => id);
		const lane = async () => {
			for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await upload(id);
		};
		await Promise.all(Array.from({ length: Math.max(1, limit) }, lane));
	}

	uppy.addUploader(uploader);
	return () => uppy.removeUploader(uploader);
}

/** Undefined for one that was removed, whatever its type says. */
function fileOf(uppy: Uploading, id: string): UppyFile | undefined {
	return uppy.getFile(id);
}

function report(uppy: Uploading, id: string, { sentBytes, totalBytes }: UploadProgress): void {
	const file = fileOf(uppy, id);
	if (file === undefined) return;
	uppy.emit("upload-progress", file, {
		uploadStarted: file.progress.uploadStarted ?? 0,
		bytesUploaded: sentBytes,
		bytesTotal: totalBytes ?? file.size,
	});
}

function whenRemoved(uppy: Uploading, id: string, gone: () => void): () => void {
	const removed = (file: UppyFile) => {
		if (file.id === id) gone();
	};
	uppy.on("file-removed", removed);
	uppy.on("cancel-all", gone);
	return () => {
		uppy.off("file-removed", removed);
		uppy.off("cancel-all", gone);
	};
}
