import sharp from "sharp";
import { answerParent } from "./child.ts";

/* The other side of cached.ts and upload-memory.ts: what a server costs that does nothing but the work itself. */

export interface BareServer {
	/** What every GET answers, where the client has it not. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
}

sharp.concurrency(1);
sharp.cache(false);

/** An upload as anybody would write it first: all of it in memory. */
async function receive(request: Request): Promise<Response> {
	const form = await request.formData();
	const file = form.get("file");
	if (!(file instanceof Blob)) return new Response(null, { status: 422 });
	const image = sharp(await file.arrayBuffer(), { failOn: "error", limitInputPixels: false });
	const { width, height } = await image.metadata();
	await image.resize(640, 640, { fit: "inside" }).raw().toBuffer();
	return Response.json({ width, height }, { status: 201 });
}

async function start({ path, headers }: BareServer): Promise<number | undefined> {
	const blob = new Blob([await Bun.file(path).arrayBuffer()]);
	const answer = (request: Request) =>
		request.headers.has("if-none-match")
			? new Response(null, { status: 304, headers })
			: new Response(blob, { headers });
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: (request) => (request.method === "POST" ? receive(request) : answer(request)),
	});
	return server.port;
}

answerParent(start);
