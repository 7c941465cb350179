import { ticketServer } from "@svc/sdk/filepond";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import { addTicketUploader } from "@svc/sdk/uppy";
import Uppy from "@uppy/core";
import DragDrop from "@uppy/drag-drop";
import { create } from "filepond";

/* The script of a page of an App, as it would write it: three ways to upload with tickets, each with a place to drop files on. */

/** What a test looks at. */
export interface SeenByTest {
	/** Parts of the file that had gone out, in the order in which the page heard of them. */
	readonly progress: number[];
	readonly done: string[];
	readonly failed: string[];
}

const seen: SeenByTest = { progress: [], done: [], failed: [] };
Reflect.set(globalThis, "seen", seen);

async function ticket(): Promise<string> {
	const answer = await fetch("/ticket", { method: "POST" });
	return await answer.text();
}

function elementOf(id: string): HTMLElement {
	const element = document.getElementById(id);
	if (element === null) throw new Error(`there is no #${id}`);
	return element;
}

function plain(): void {
	const zone = elementOf("plain");
	zone.addEventListener("dragover", (event) => event.preventDefault());
	zone.addEventListener("drop", async (event) => {
		event.preventDefault();
		for (const file of event.dataTransfer?.files ?? []) {
			try {
				const onProgress = ({ sentBytes }: { readonly sentBytes: number }) =>
					void seen.progress.push(sentBytes / file.size);
				seen.done.push((await uploadWithTicket(await ticket(), file, { onProgress })).id);
			} catch (error) {
				seen.failed.push(String(error));
			}
		}
	});
}

function withUppy(): void {
	const uppy = new Uppy({ autoProceed: true }).use(DragDrop, { target: "#uppy" });
	addTicketUploader(uppy, { ticket, retries: 1 });
	uppy.on("upload-progress", (_, { bytesUploaded, bytesTotal }) => {
		seen.progress.push(bytesUploaded / (bytesTotal ?? Number.NaN));
	});
	uppy.on("upload-success", (_, { body }) => void seen.done.push(String((body as { id?: unknown } | undefined)?.id)));
	uppy.on("upload-error", (_, error) => void seen.failed.push(error.message));
	Reflect.set(globalThis, "retryUppy", () => uppy.retryAll());
}

function withFilePond(): void {
	const pond = create(document.querySelector("#filepond input") ?? undefined, {
		server: ticketServer({ ticket, retries: 1 }),
		onprocessfileprogress: (_, part) => void seen.progress.push(part),
		onprocessfile: (error, { serverId }) =>
			void (error ? seen.failed.push(String(error.body)) : seen.done.push(serverId)),
	});
	Reflect.set(globalThis, "retryFilePond", () => pond.processFiles());
}

plain();
withUppy();
withFilePond();
