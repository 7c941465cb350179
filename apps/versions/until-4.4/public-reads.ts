import { openRoute, storageRoute } from "@svc/api/kit/call";
import type { Call, RouteHandler, StorageCall } from "@svc/api/kit/call-types";
import type { ApiRooms } from "@svc/api/kit/rooms";
import type { ApiVersion } from "@svc/api/version";
import { Failure } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { isId } from "@svc/base/ids";
import type { Image } from "@svc/images/images";
import type { Images } from "@svc/images/room";
import { visitorOf } from "@svc/people/visitors";
import { KEY_OR_NONE } from "@svc/variants/shape";

/* A public image may be read without a key. */

export const publicReads: ApiVersion["reads"] = {
	route(own, rooms) {
		const keyed = storageRoute(rooms, "read")((call) => readOwn(own, call, rooms));
		const open = openRead(rooms);
		return (context) => (isKnown(context.request) ? keyed(context) : open(context));
	},
	detail: { summary: "One image; a public one needs no key", security: KEY_OR_NONE },
};

function isKnown(request: Request): boolean {
	return request.headers.has("authorization") || visitorOf(request) !== undefined;
}

/**
 * A caller who sends an Authorization header means to be known by it: a wrong one is refused. With a right one that does not reach the
 * image a public one is what everybody sees: sending more must not show less.
 */
async function readOwn(own: (call: StorageCall) => ReturnType<typeof readPublic>, call: StorageCall, rooms: ApiRooms) {
	try {
		return await own(call);
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "not_found") throw cause;
		return await readPublic(rooms, call);
	}
}

function openRead(rooms: ApiRooms): RouteHandler {
	return openRoute(rooms)(async (call) => {
		rooms.limits.openReads.take(networkOf(rooms.addressOf(call.request)));
		return await readPublic(rooms, call);
	});
}

async function readPublic(rooms: ApiRooms, { params }: Call) {
	const image = await getPublicImage(rooms.images, params.id ?? "");
	return { status: 200, body: rooms.variant.image.encode(image, rooms.addresses) as unknown };
}

/**
 * An image that is public. A private one is not found, with the same words and the same work as one that never existed.
 * @throws Failure not_found, media_blocked (its reason is only its owner's business), media_failed
 */
async function getPublicImage(room: Images, id: string): Promise<Image> {
	const image = isId("img", id) ? await room.store.findPublic(id, room.clock.now()) : undefined;
	if (!image) throw new Failure("not_found");
	if (image.status === "blocked") throw new Failure("media_blocked");
	if (image.status === "failed") throw new Failure("media_failed");
	return image;
}
