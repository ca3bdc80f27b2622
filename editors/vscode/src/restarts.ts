// Decides whether a server that ended by itself is started again.

/** Restarts in a span of time: five in three minutes. A server that ends more often than that will again. */
export class Restarts {
  private readonly times: number[] = [];

  constructor(
    private readonly most = 5,
    private readonly span = 180_000,
  ) {}

  /** Whether one more restart is allowed at a time in milliseconds; if so, it counts. */
  allow(now: number): boolean {
    while (this.times.length > 0 && now - this.times[0]! > this.span) {
      this.times.shift();
    }
    if (this.times.length >= this.most) {
      return false;
    }
    this.times.push(now);
    return true;
  }
}
