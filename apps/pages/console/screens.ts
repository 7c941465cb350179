import { activityScreen } from "./activity.tsx";
import { appsScreen } from "./apps.tsx";
import { imageDeliveryScreen } from "./delivery/delivery.tsx";
import { eventScreen } from "./events/event.tsx";
import { eventsScreen } from "./events/events.tsx";
import { formsScreen } from "./first/forms.tsx";
import { imagesScreen } from "./images/images.tsx";
import { pictureScreen } from "./images/picture.tsx";
import { replaceScreen, uploadScreen } from "./images/upload.ts";
import { importScreen } from "./imports/import.tsx";
import { importsScreen } from "./imports/imports.tsx";
import { jobsScreen } from "./jobs.tsx";
import { keysScreen } from "./keys/keys.tsx";
import type { Screen } from "./kit/visit.ts";
import { liveScreen } from "./live.ts";
import { chosenScreen } from "./many/chosen.tsx";
import { jobScreen } from "./many/job.tsx";
import { zipScreen } from "./many/zip.ts";
import { OPERATOR_SCREENS } from "./operator/screens.ts";
import { overviewScreen } from "./overview/overview.tsx";
import { planScreen } from "./plan/plan.tsx";
import { plansScreen } from "./selling/plans.tsx";
import { subscriberScreen } from "./selling/subscriber.tsx";
import { subscribersScreen } from "./selling/subscribers.tsx";
import { settingsScreen } from "./settings.tsx";
import { previewScreen } from "./sign-in/preview.tsx";
import { signInScreen } from "./sign-in/sign-in.tsx";
import { teamScreen } from "./team/team.tsx";
import { ticketsScreen } from "./tickets.tsx";
import { userScreen } from "./users/user.tsx";
import { usersScreen } from "./users/users.tsx";
import { deliveryScreen } from "./webhooks/delivery.tsx";
import { endpointScreen } from "./webhooks/endpoint.tsx";
import { webhooksScreen } from "./webhooks/webhooks.tsx";

/** Every screen of the console. */
export const SCREENS: readonly Screen[] = [
	appsScreen,
	...OPERATOR_SCREENS,
	overviewScreen,
	imagesScreen,
	uploadScreen,
	zipScreen,
	chosenScreen,
	jobScreen,
	pictureScreen,
	formsScreen,
	replaceScreen,
	usersScreen,
	userScreen,
	keysScreen,
	webhooksScreen,
	endpointScreen,
	deliveryScreen,
	eventsScreen,
	eventScreen,
	imageDeliveryScreen,
	importsScreen,
	importScreen,
	jobsScreen,
	signInScreen,
	previewScreen,
	ticketsScreen,
	teamScreen,
	planScreen,
	plansScreen,
	subscribersScreen,
	subscriberScreen,
	activityScreen,
	settingsScreen,
	liveScreen,
];
