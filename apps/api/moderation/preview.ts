import { Failure, invalid } from "@svc/base/failure";
import type { Master } from "@svc/images/ports";
import { CONTENT_TYPES } from "@svc/images/transform/transform";
import { getPreview } from "@svc/moderation/moderation";
import type { Elysia } from "elysia";
import type { Answer, Call } from "../kit/call-types.ts";
import { readWord } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms, PictureBox } from "../kit/rooms.ts";
import { query, register } from "../kit/route.ts";

const SIDES = ["w", "h"] as const;
/** Pixels. An operator who needs more reads the stored image. */
const SIDE_MAX = 2_048;
/** What a drawn one may be; a photograph as a JPEG is a tenth of it. */
const DRAWN = ["png", "jpg"] as const;

export function preview(app: Elysia, rooms: ApiRooms): void {
	const reads = operatorRoute(rooms, "moderation:read")((call) => read(rooms, call));
	register(app, "GET", "/v1/moderation/images/:id/preview", reads, {
		operationId: "previewImage",
		summary: "The picture of an image in whatever state, as it is stored or, with w or h, drawn small; never cached",
		tags: ["moderation"],
		parameters: [
			...SIDES.map((name) => query(name, { type: "integer", minimum: 1, maximum: SIDE_MAX })),
			query("format", { type: "string", enum: [...DRAWN], default: DRAWN[0] }, "Of a picture that is drawn"),
		],
		responses: {
			200: { description: "Success", content: { "image/*": { schema: { type: "string", format: "binary" } } } },
			default: {
				description: "Any error",
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		},
	});
}

async function read(rooms: ApiRooms, { params, url }: Call): Promise<Answer> {
	const box = readBox(url.searchParams);
	const { image, blob } = await getPreview(rooms.moderation, params.id ?? "");
	if (box === undefined) return picture(blob.stream(), blob.bytes, image.format, image.id);
	const { format, width, height } = image;
	const bytes = await draw(rooms, { blob, format, width, height }, box);
	return picture(new Blob([bytes]).stream(), bytes.length, box.format, image.id);
}

function picture(
	body: ReadableStream<Uint8Array>,
	bytes: number,
	format: keyof typeof CONTENT_TYPES,
	id: string,
): Answer {
	return {
		status: 200,
		body,
		headers: {
			"Content-Type": CONTENT_TYPES[format],
			"Content-Length": String(bytes),
			// The uploaded name comes from a stranger; the id says which image it is.
			"Content-Disposition": `inline; filename="${id}.${format}"`,
			"Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; sandbox",
			"Cross-Origin-Resource-Policy": "same-site",
		},
	};
}

/** Undefined for the image as it is stored. @throws Failure validation_error under the side's name */
function readBox(sentQuery: URLSearchParams): PictureBox | undefined {
	const sent = SIDES.filter((name) => sentQuery.has(name));
	for (const name of sent) {
		const [side = "", more] = sentQuery.getAll(name);
		if (more !== undefined || !/^[1-9]\d{0,3}$/.test(side) || Number(side) > SIDE_MAX) {
			throw invalid(name, `must be a whole number from 1 to ${SIDE_MAX}, once`);
		}
	}
	const format = readWord("format", sentQuery.get("format") ?? undefined, DRAWN) ?? DRAWN[0];
	if (sent.length === 0) return undefined;
	return { ...Object.fromEntries(sent.map((name) => [name, sentQuery.get(name) ?? ""])), format };
}

/** @throws Failure media_failed for an image that cannot be decoded, server_error while too much is being rendered */
async function draw({ drawPicture }: ApiRooms, master: Master, box: PictureBox): Promise<Uint8Array<ArrayBuffer>> {
	try {
		return await drawPicture(master, box);
	} catch (cause) {
		if (cause instanceof Failure) throw cause;
		const message = "This picture cannot be drawn; without w and h it comes as it is stored.";
		throw new Failure("media_failed", undefined, { message, cause });
	}
}
