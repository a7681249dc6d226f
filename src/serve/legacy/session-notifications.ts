import type { ClientCall } from "../../calls/call.ts";
import { reaches } from "../../servers/connection/log-level.ts";
import {
  type IncomingNotification,
  type JsonObject,
  forwardedText,
  notificationText,
  progressText,
} from "../../wire/messages.ts";
import type { ClientOutput } from "../client-output.ts";
import { NotificationThrottle } from "../notification-throttle.ts";
import type { SessionProfile } from "./session-profile.ts";

/** The notifications to a legacy client. It gets none before `initialize`. */
export class SessionNotifications {
  readonly #output: ClientOutput;
  readonly #profile: Readonly<SessionProfile>;
  readonly #throttle: NotificationThrottle;

  constructor(output: ClientOutput, profile: Readonly<SessionProfile>) {
    this.#output = output;
    this.#profile = profile;
    this.#throttle = new NotificationThrottle((notification) =>
      this.#send(forwardedText(notification)),
    );
  }

  /** Sends a notification of the workbench itself. */
  send(method: string, params?: JsonObject): void {
    this.#send(notificationText(method, params));
  }

  /** Passes on a server's notification that belongs to a call of the client. */
  sendAbout({ request, route }: ClientCall, notification: IncomingNotification): void {
    if (!this.#isWanted(notification)) return;
    if (route === undefined || this.#throttle.admitsAbout(notification, route))
      this.#send(forwardedText(notification), request.idText);
  }

  sendProgress({ request, route, progressToken }: ClientCall, news: IncomingNotification): void {
    if (progressToken === undefined) return;
    if (route === undefined || this.#throttle.admitsAbout(news, route))
      this.#send(progressText(news, progressToken), request.idText);
  }

  /** Passes on a server's unsolicited notification, unless there are too many. */
  sendUnsolicited(notification: IncomingNotification, server: object): void {
    if (this.#isWanted(notification)) this.#throttle.send(notification, server);
  }

  close(): void {
    this.#throttle.close();
  }

  #isWanted({ method, params }: IncomingNotification): boolean {
    return method !== "notifications/message" || reaches(this.#profile.logLevel, params);
  }

  #send(text: string, about?: string): void {
    if (this.#profile.protocolVersion !== undefined) this.#output.send(text, about);
  }
}
