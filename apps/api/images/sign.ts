import type { Access } from "@svc/apps/access";
import { Failure } from "@svc/base/failure";
import { signAddress } from "@svc/delivery/sign-address";
import { SIGNED_MAX_SECONDS } from "@svc/delivery/signature";
import { getImage } from "@svc/images/images";
import { dateTime, named, uri } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { presetParameters } from "../delivery/presets.ts";
import { ok, storageRoute } from "../kit/call.ts";
import { duration, isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { STORAGE_HEADERS } from "./images-document.ts";

/** For so long an address may be signed by who may only look: they could pass the picture on as well. */
const VIEWED_SECONDS = 600;

const signing = {
	parameters: v.optional(presetParameters, {}),
	expires_in: duration({ minSeconds: 1, maxSeconds: SIGNED_MAX_SECONDS }),
};
const signedSchema = named(
	"SignedAddress",
	v.object({ object: v.literal("signed_address"), url: uri, expires_at: dateTime }),
);

export function signedAddresses(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/images/:id/sign", storageRoute(rooms, "read"), {
		operationId: "signImage",
		summary: "Signs an address of an image, which is answered under every delivery policy until it ends",
		description:
			"Signed with the App's newest signing key, whose deletion ends the address; where it has none, with a key of the service. Without the write permission `expires_in` is at most 10 minutes.",
		tags: ["images"],
		parameters: STORAGE_HEADERS,
		body: signing,
		answers: { 200: signedSchema },
		run: async (call) => {
			const { parameters, expires_in: seconds } = await call.input();
			requireMayFor(seconds, call.access);
			const image = await getImage(rooms.images, call.access, call.params.id);
			const { url, expiresMs } = await signAddress(rooms.delivery, image, { parameters, seconds });
			return ok({ object: "signed_address" as const, url, expires_at: isoDate(expiresMs) });
		},
	});
}

/** @throws Failure forbidden for who may only look, and asks for longer */
function requireMayFor(seconds: number, { caller }: Access): void {
	if (seconds <= VIEWED_SECONDS || caller.permissions.has("write")) return;
	throw Failure.saying(
		"forbidden",
		`Without write access here an address is signed for at most ${VIEWED_SECONDS} seconds.`,
	);
}
