import type { DATABASE_FAILURES } from "@svc/api/kit/refusals/failure";
import type { EventType } from "@svc/base/enumerations";

/* What only the reference says, such as when each event comes. A new one does not compile without its line. */

/** What the rows of the table of database failures are about. */
export const WHATS = {
	read: "reads",
	upload: "makes an image of bytes, or another file of one: uploads, tickets, copies, replacements",
	import: "makes an image of an address",
	change: "makes or changes anything else",
	deletion: "is a DELETE",
} as const satisfies Record<keyof typeof DATABASE_FAILURES, string>;

export const OCCASIONS = {
	"image.created": "An image is there: by an upload, an import, a ticket or a copy.",
	"image.updated": "Its caption, labels, metadata, dates or file changed.",
	"image.moved": "It went to another storage of the App.",
	"image.restored": "It was deleted, and is back.",
	"image.locked": "An operator locked it while it is looked at.",
	"image.unlocked": "The lock is gone.",
	"image.blocked": "An operator blocked it: its addresses answer 404.",
	"image.unblocked": "The block is gone.",
	"image.deleted": "Somebody deleted it.",
	"image.expired": "Its `ttl` ended.",
	"upload_ticket.used": "A ticket made its image.",
	"user.connected": "A person signed in to the App for the first time, or again after leaving.",
	"user.disconnected": "A person left the App, and nothing is told of them after it. Forget what you know of them.",
	"subscription.created": "A user subscribed to one of the App's plans.",
	"subscription.updated": "A subscription changed: its plan, its state or its end.",
	"subscription.ended": "A user has no access any more to what the App sells; also right before `user.disconnected`.",
	"key.created": "The App has a new key.",
	"key.revoked": "A key no longer works.",
	"app.paused": "The team paused the App.",
	"app.resumed": "The team resumed it.",
	"app.blocked": "An operator blocked the App.",
	"app.unblocked": "The block is gone.",
	"app.delivery_unusual":
		"Far more than usual is served of its images today: five times a day of the last two weeks. Once a day at most.",
	"import.done": "Each address of an import has become an image, or has failed.",
	"webhook_endpoint.disabled":
		"An endpoint gets nothing any more: it failed for days, said that it is gone, or the team said so.",
} as const satisfies Record<EventType, string>;
