import {
	archivePlan,
	askAppReason,
	createKey,
	disconnectUser,
	pauseOrResume,
	restoreBlobs,
	revokeKey,
	rotateKey,
	unblockApp,
} from "./acts/actions.ts";
import { undoLast } from "./acts/changes.ts";
import { createPreset, createSigningKey, editPreset, removePreset, removeSigningKey } from "./acts/delivery.ts";
import {
	copyImageAddress,
	deleteImages,
	editImage,
	imagesOfUser,
	ownImages,
	restoreImages,
	saveImage,
} from "./acts/images.ts";
import { askReason, lock, release, reveal, toggleNsfw } from "./acts/moderation.ts";
import { cancelTickets, copyAddress } from "./acts/platform.ts";
import { cancelSubscription, extendSubscription, refundInvoice } from "./acts/subscriptions.ts";
import {
	createWebhook,
	enableOrDisable,
	recoverMissed,
	redeliver,
	removeWebhook,
	rotateSecret,
	testWebhook,
} from "./acts/webhooks.ts";
import {
	blockAppWord,
	blockWord,
	bringBackWord,
	cancelWord,
	copyTicketWord,
	deliverWord,
	enableWord,
	filterWord,
	followWord,
	lockWord,
	newPlanWord,
	nsfwWord,
	ofEndpoint,
	ofKey,
	ofOne,
	ofPaying,
	ofPlan,
	operators,
	pauseWord,
	refundWord,
	releaseWord,
	revealWord,
	termsWord,
	unblockAppWord,
	undoWord,
	type Word,
} from "./acts/words.ts";
import { createApp, deleteApp, editApp, editTerms } from "./forms/app-forms.ts";
import { lineOf } from "./forms/line.ts";
import { addPrice, createPlan, editPlan, editPrices } from "./forms/plan-forms.ts";
import { givePlan } from "./forms/user-forms.ts";
import { hasQueues, nextQueue } from "./lists/answers.ts";
import { listOf, refresh, selectedOf } from "./lists/list.ts";
import { REASON_RANGE, type State, type Step, say, stay } from "./model.ts";
import {
	back,
	clear,
	copyId,
	enter,
	mark,
	markAll,
	move,
	page,
	show,
	step,
	toEdge,
	toggleFull,
	togglePane,
} from "./moves.ts";
import { imageOf } from "./preview.ts";
import { ALL_SCREENS, SCREENS, type ScreenName, TABS } from "./screens.ts";

interface Binding {
	/** Names of keys; the first one is shown. */
	readonly keys: readonly [string, ...string[]];
	readonly label: string;
	/** The word shown at the bottom of the screen; with a function, only while the key would do something. */
	readonly short?: string | Word;
	/** Undefined means every screen. */
	readonly screens?: readonly ScreenName[];
	/** The key changes something at the service. */
	readonly mutates?: true;
	/** The screen that the key leads to. */
	readonly goes?: ScreenName;
	run(state: State): Step;
}

const MODERATION: readonly ScreenName[] = ["moderation"];
const IMAGES: readonly ScreenName[] = ["images"];
const PICTURES: readonly ScreenName[] = ["moderation", "images"];
const MARKED: readonly ScreenName[] = ["moderation", "trash", "tickets", "images"];
const HOOKS: readonly ScreenName[] = ["webhooks", "deliveries"];
const SUBS: readonly ScreenName[] = ["subscriptions"];
const QUEUED: readonly ScreenName[] = ALL_SCREENS.filter(hasQueues);

const OPEN: readonly Binding[] = [
	{ keys: ["j", "down"], label: "Down", run: (state) => move(state, 1) },
	{ keys: ["k", "up"], label: "Up", run: (state) => move(state, -1) },
	{ keys: ["g", "home"], label: "To the first one", run: (state) => toEdge(state, "first") },
	{ keys: ["G", "end"], label: "To the last one", run: (state) => toEdge(state, "last") },
	{ keys: ["pagedown", "ctrl-f", "ctrl-d"], label: "A page down", run: (state) => page(state, 1) },
	{ keys: ["pageup", "ctrl-b", "ctrl-u"], label: "A page up", run: (state) => page(state, -1) },
	{
		keys: ["enter", "right"],
		label: "Open; an App: work in it; an endpoint: its deliveries",
		short: ofOne("open"),
		run: enter,
	},
	{ keys: ["tab", "backtab"], label: "The other pane", run: togglePane },
	{ keys: ["/"], label: "Filter", short: filterWord, run: filter },
	{ keys: ["s"], label: "The next queue, or state", short: "queue", screens: QUEUED, run: nextQueue },
	{ keys: ["v"], label: "Show or hide a flagged picture", short: revealWord, screens: PICTURES, run: reveal },
	{
		keys: ["f"],
		label: "The picture alone, or the list again",
		short: ofOne("full"),
		screens: PICTURES,
		run: toggleFull,
	},
	{ keys: ["o"], label: "Open in a browser", screens: PICTURES, run: openImage },
	{ keys: ["c"], label: "Copy its address, transformed", short: ofOne("copy"), screens: IMAGES, run: copyImageAddress },
	{ keys: ["d"], label: "Save it in the folder of the start", short: ofOne("save"), screens: IMAGES, run: saveImage },
	{ keys: ["i"], label: "The images of this user", short: ofOne("images"), screens: ["users"], run: imagesOfUser },
	{ keys: ["i"], label: "The App's own images", screens: IMAGES, run: ownImages },
	{ keys: ["f"], label: "Follow what happens", short: followWord, screens: ["audit"], run: follow },
	{ keys: ["y"], label: "Copy the id", run: copyId },
	{
		keys: ["c"],
		label: "Copy the address to upload to",
		short: copyTicketWord,
		screens: ["tickets"],
		run: copyAddress,
	},
	{ keys: ["r"], label: "Refresh", short: "refresh", run: readAgain },
	{ keys: ["escape"], label: "Back to the list; clear marks, then the filter", run: clear },
	{ keys: ["?"], label: "All keys", short: "keys", run: (state) => search(state, "keys") },
	{ keys: [":"], label: "Find a screen, a key or a command", short: "find", run: (state) => search(state, "palette") },
	{ keys: ["q", "left"], label: "Back, or quit", short: "quit", run: back },
	...SCREENS.map(
		(screen): Binding => ({
			keys: [TABS[screen].key],
			label: `Go to ${TABS[screen].title}`,
			goes: screen,
			run: (state) => show(state, screen),
		}),
	),
	{ keys: ["]"], label: "The next screen", run: (state) => step(state, 1) },
	{ keys: ["["], label: "The screen before", run: (state) => step(state, -1) },
];

const CHANGING: readonly Binding[] = [
	{ keys: [" "], label: "Mark", short: ofOne("mark"), screens: MARKED, run: mark },
	{ keys: ["a"], label: "Mark all that the filter shows", screens: MARKED, run: markAll },
	{ keys: ["l"], label: "Lock", short: lockWord, screens: MODERATION, run: lock },
	{
		keys: ["b"],
		label: `Block, then ${REASON_RANGE} for the reason`,
		short: blockWord,
		screens: MODERATION,
		run: askReason,
	},
	{ keys: ["u"], label: "Unblock or unlock", short: releaseWord, screens: MODERATION, run: release },
	{ keys: ["n"], label: "Flag as nsfw, or not", short: nsfwWord, screens: MODERATION, run: toggleNsfw },
	{ keys: ["z"], label: "Undo the last change", short: undoWord, screens: MODERATION, run: undoLast },
	{ keys: ["p"], label: "Pause or resume the App", short: pauseWord, screens: ["apps"], run: pauseOrResume },
	{
		keys: ["b"],
		label: `Block the App, then ${REASON_RANGE}`,
		short: blockAppWord,
		screens: ["apps"],
		run: askAppReason,
	},
	{ keys: ["u"], label: "Unblock the App", short: unblockAppWord, screens: ["apps"], run: unblockApp },
	{ keys: ["c"], label: "Make an App", short: "create", screens: ["apps"], run: createApp },
	{ keys: ["e"], label: "Rename the App, and its settings", short: ofOne("edit"), screens: ["apps"], run: editApp },
	{ keys: ["t"], label: "The App's plan and limits", short: termsWord, screens: ["apps"], run: editTerms },
	{ keys: ["t"], label: "Plan and limits of this App", short: operators("limits"), screens: ["usage"], run: editTerms },
	{ keys: ["x"], label: "Delete the App", short: ofOne("delete"), screens: ["apps"], run: deleteApp },
	{ keys: ["c"], label: "Create a key", short: "create", screens: ["keys"], run: createKey },
	{
		keys: ["R", "t"],
		label: "Rotate: a successor of the key",
		short: ofKey("rotate"),
		screens: ["keys"],
		run: rotateKey,
	},
	{ keys: ["x"], label: "Revoke the key", short: ofKey("revoke"), screens: ["keys"], run: revokeKey },
	{ keys: ["m"], label: "Give the user a plan for nothing", short: ofOne("give"), screens: ["users"], run: givePlan },
	{ keys: ["x"], label: "Disconnect the user", short: ofOne("disconnect"), screens: ["users"], run: disconnectUser },
	{ keys: ["c"], label: "Make a plan", short: newPlanWord, screens: ["plans"], run: createPlan },
	{ keys: ["e"], label: "Change what is said of the plan", short: ofPlan("edit"), screens: ["plans"], run: editPlan },
	{ keys: ["m"], label: "Add a price", short: ofPlan("price"), screens: ["plans"], run: addPrice },
	{
		keys: ["t"],
		label: "Put prices on sale, or take them off",
		short: ofPlan("sale"),
		screens: ["plans"],
		run: editPrices,
	},
	{ keys: ["x"], label: "Archive the plan", short: ofPlan("archive"), screens: ["plans"], run: archivePlan },
	{ keys: ["c"], label: "Add an endpoint", short: "add", screens: ["webhooks"], run: createWebhook },
	{ keys: ["t"], label: "Send a test event", short: ofEndpoint("test"), screens: HOOKS, run: testWebhook },
	{ keys: ["p"], label: "Disable or enable", short: enableWord, screens: ["webhooks"], run: enableOrDisable },
	{
		keys: ["m"],
		label: "Send what was not delivered",
		short: ofEndpoint("recover"),
		screens: HOOKS,
		run: recoverMissed,
	},
	{ keys: ["R"], label: "Rotate: another secret", short: ofOne("rotate"), screens: ["webhooks"], run: rotateSecret },
	{ keys: ["x"], label: "Remove the endpoint", short: ofOne("remove"), screens: ["webhooks"], run: removeWebhook },
	{ keys: ["d"], label: "Deliver it again", short: deliverWord, screens: ["deliveries"], run: redeliver },
	{ keys: ["c"], label: "Create a preset", short: "create", screens: ["presets"], run: createPreset },
	{ keys: ["e"], label: "Edit the preset", short: ofOne("edit"), screens: ["presets"], run: editPreset },
	{ keys: ["x"], label: "Remove the preset", short: ofOne("remove"), screens: ["presets"], run: removePreset },
	{ keys: ["c"], label: "Create a signing key", short: "create", screens: ["signing-keys"], run: createSigningKey },
	{
		keys: ["x"],
		label: "Remove the signing key",
		short: ofOne("remove"),
		screens: ["signing-keys"],
		run: removeSigningKey,
	},
	{ keys: ["e"], label: "Caption, labels, dates, name", short: ofOne("edit"), screens: IMAGES, run: editImage },
	{
		keys: ["x"],
		label: "Delete, for a day to be taken back",
		short: ofOne("delete"),
		screens: IMAGES,
		run: deleteImages,
	},
	{ keys: ["z"], label: "Bring back what was deleted last", short: bringBackWord, screens: IMAGES, run: restoreImages },
	{ keys: ["t"], label: "More time, for nothing", short: ofPaying("extend"), screens: SUBS, run: extendSubscription },
	{ keys: ["m"], label: "Pay an invoice back", short: refundWord, screens: SUBS, run: refundInvoice },
	{ keys: ["x"], label: "End the subscription", short: ofPaying("end"), screens: SUBS, run: cancelSubscription },
	{ keys: ["x"], label: "Cancel the ticket", short: cancelWord, screens: ["tickets"], run: cancelTickets },
	{
		keys: ["m"],
		label: "Bring it back from the trash",
		short: ofOne("restore"),
		screens: ["trash"],
		run: restoreBlobs,
	},
];

const BINDINGS: readonly Binding[] = [...CHANGING.map((binding): Binding => ({ ...binding, mutates: true })), ...OPEN];

/** The keys that do something now; while nothing may be changed, none that would change something. */
export function bindingsOf(state: Pick<State, "readOnly" | "screen" | "absent">): readonly Binding[] {
	return BINDINGS.filter(
		({ mutates, screens, goes }) =>
			!(state.readOnly && mutates === true) &&
			!(goes !== undefined && state.absent.includes(goes)) &&
			(screens === undefined || screens.includes(state.screen)),
	);
}

/** Opens the address of the image, as every visitor sees it. */
function openImage(state: State): Step {
	const image = imageOf(selectedOf(listOf(state)));
	if (image === undefined) return stay(say(state, "warn", "No image is chosen."));
	return stay(state, { type: "open", url: image.url });
}

function filter(state: State): Step {
	return stay({ ...state, overlay: { kind: "filter", caret: lineOf(listOf(state).filter).caret }, notice: undefined });
}

function follow(state: State): Step {
	const follows = !state.follows;
	return stay(
		say({ ...state, follows }, "good", follows ? "Following: read again every 5 seconds." : "No longer following."),
	);
}

/** A picture that could not be fetched counts as well. */
function readAgain(state: State): Step {
	const { preview } = state;
	return refresh({ ...state, preview: preview?.drawing.kind === "words" ? undefined : preview });
}

function search(state: State, of: "keys" | "palette"): Step {
	return stay({ ...state, overlay: { kind: "search", of, query: "", caret: 0, cursor: 0 }, notice: undefined });
}
