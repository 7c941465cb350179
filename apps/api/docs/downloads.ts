import { readdir, readFile } from "node:fs/promises";
import { Failure } from "@svc/base/failure";
import type { Elysia } from "elysia";
import { COMMON_HEADERS } from "../kit/headers.ts";
import { type KeptFile, keepFile, sendFile } from "../kit/kept.ts";
import { refuse } from "../kit/respond.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/* The SDK and the command line of the version that runs, as npm takes them, and the SDK's module for pages. They are files of this release, for everybody. */

const HIDDEN = { detail: { hide: true } };
/** Pages of any origin load the module; their browsers keep it, and ask whether it is still the same. */
const OPEN = { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };
const MODULE = { ...OPEN, "Content-Type": "text/javascript; charset=utf-8" };

export function downloads(app: Elysia, rooms: ApiRooms): void {
	const kept = new Map<string, Promise<KeptFile>>();
	const send = async (request: Request, name: string, headers: Readonly<Record<string, string>>) => {
		const file = kept.get(name) ?? keep(rooms, name, headers);
		kept.set(name, file);
		file.catch(() => kept.delete(name));
		return sendFile(request, await file);
	};
	for (const room of ["sdk", "cli"]) {
		const lead = async () => {
			const Location = `${rooms.addresses.base}/${room}/${await runningFile(rooms, room)}`;
			return new Response(null, { status: 302, headers: { ...COMMON_HEADERS, Location } });
		};
		app.get(`/${room}`, lead, HIDDEN);
		app.get(`/${room}/`, lead, HIDDEN);
		app.get(
			`/${room}/:file`,
			async ({ request, params: { file } }) => {
				if (file !== (await runningFile(rooms, room))) return refuse(rooms, request, new Failure("not_found"));
				const named = { "Content-Disposition": `attachment; filename="${file}"` };
				return send(request, file, { ...OPEN, ...named, "Content-Type": "application/gzip" });
			},
			HIDDEN,
		);
	}
	app.get("/sdk/v1/ticket-upload.js", ({ request }) => send(request, "ticket-upload.js", MODULE), HIDDEN);
}

/** Such as `svc-sdk-0.1.0.tgz`. */
export async function runningFile({ downloads: folder }: ApiRooms, room: string): Promise<string> {
	const found = (await readdir(await folder())).find((name) => name.startsWith(`svc-${room}-`));
	if (found === undefined) throw new Error(`there is no package of ${room} beside the service`);
	return found;
}

export async function readDownload({ downloads: folder }: ApiRooms, name: string): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await readFile(new URL(name, await folder())));
}

async function keep(rooms: ApiRooms, name: string, headers: Readonly<Record<string, string>>): Promise<KeptFile> {
	return keepFile(await readDownload(rooms, name), headers);
}
