import { BodyPieces } from "./body-pieces.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/*
 * Bun sends an answer whose promise is fulfilled in a later turn than its request came in with each name, colon and value of its headers as a packet of its own, unless
 * its body is below 15 KB: docs/decisions/0198. What is written to a stream while Bun asks for it goes out together with the headers.
 */

/** Below this Bun gathers headers and body by itself. */
const GATHERED_BYTES = 15_360;
/** Larger ones lie in files, which Bun reads as they are sent. */
const WHOLE_MAX_BYTES = 1_000_000;
/** Of bodies that clients take slowly: what is past it goes out from where it lies, in as many packets as it pleases Bun. */
const WAITING_MAX_BYTES = 67_108_864;

let waitingBytes = 0;

/** The same answer, so that it leaves in one or two sends whenever it has become ready. */
export async function inFewSends(request: Request, answer: Response): Promise<Response> {
	if (request.method === "HEAD") return answer;
	const declared = answer.headers.get("content-length");
	if (declared !== null) {
		const bytes = Number(declared);
		if (bytes < GATHERED_BYTES || bytes > WHOLE_MAX_BYTES || waitingBytes > WAITING_MAX_BYTES) return answer;
		return whole(await answer.bytes(), answer);
	}
	if (!answer.body) return answer;
	const pieces = new BodyPieces(answer.body);
	const cancel = () => pieces.cancel(request.signal.reason).catch(() => undefined);
	request.signal.addEventListener("abort", cancel, { once: true });
	const first = await pieces.next();
	request.signal.removeEventListener("abort", cancel);
	if (!first) return new Response(null, answer);
	return first.isLast ? whole(first.bytes, answer) : new Response(streamed(first.bytes, pieces), answer);
}

/** The length is known to Bun, because the stream ends with what was written first. */
function whole(bytes: Bytes, answer: Response): Response {
	if (bytes.length < GATHERED_BYTES) return new Response(bytes, answer);
	const source: Bun.DirectUnderlyingSource<Uint8Array> = {
		type: "direct",
		pull(sink) {
			sink.write(bytes);
			const sent: unknown = sink.end();
			if (!(sent instanceof Promise)) return;
			// The client takes it slowly, or has gone.
			waitingBytes += bytes.length;
			const taken = () => {
				waitingBytes -= bytes.length;
			};
			sent.then(taken, taken);
		},
	};
	// The type of a stream that both runtimes know has no such source.
	const body = new ReadableStream(source as unknown as UnderlyingSource<Uint8Array>, {
		highWaterMark: bytes.length + 1,
	});
	return new Response(body, answer);
}

function streamed(first: Bytes, pieces: BodyPieces): ReadableStream<Bytes> {
	return new ReadableStream(
		{
			start: (controller) => controller.enqueue(first),
			async pull(controller) {
				const next = await pieces.next();
				if (next) controller.enqueue(next.bytes);
				if (!next || next.isLast) controller.close();
			},
			cancel: (cause) => pieces.cancel(cause),
		},
		{ highWaterMark: 0 },
	);
}
