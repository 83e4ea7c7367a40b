// Everything that a class can hold.
abstract class Shape<Unit extends string = "cm"> {
  static count = 0;
  static readonly registry: Map<string, Shape<any>> = new Map();
  static {
    const start: number = 0;
    this.count = start as number;
  }
  declare readonly brand: Unit;
  protected label?: string;
  private readonly created!: number;
  #secret: number = 1;
  [key: string]: unknown;
  constructor(protected readonly name: string, public unit: Unit = "cm" as Unit) {
    Shape.count++;
    Shape.registry.set(name, this);
  }
  abstract area(): number;
  abstract get corners(): number;
  describe(): string;
  describe(long: true): string;
  describe(long?: boolean): string {
    return long ? `${this.name} with ${this.area()} ${this.unit}2` : this.name;
  }
  get secret(): number {
    return this.#secret!;
  }
  set secret(value: number) {
    this.#secret = value;
  }
  isSquare(this: Shape): this is Square {
    return this instanceof Square;
  }
  protected async *walk<T>(items: Iterable<T>): AsyncGenerator<T, void, unknown> {
    for (const item of items) yield item as T;
  }
}

class Rectangle extends Shape implements Iterable<number> {
  constructor(readonly width: number, readonly height: number, name?: string) {
    const chosen = name ?? "rectangle";
    super(chosen);
    this.label = chosen;
  }
  override area = (): number => this.width * this.height;
  override get corners(): 4 {
    return 4;
  }
  public static of<T extends number>(side: T): Square {
    return new Square(side);
  }
  *[Symbol.iterator](): Iterator<number> {
    yield this.width;
    yield this.height;
  }
}

class Square extends Rectangle {
  constructor(side: number) {
    super(side, side, "square");
  }
}

const enum Mode { Plain, Loud = 5, Last }
enum Level { Low = "low", High = "high" }
const square = Rectangle.of(3);
square.secret = 7;
const sides: number[] = [...square];
const anonymous = class<T> { constructor(private value: T) {} get(): T { return this.value } };
return {
  text: square.describe(true),
  corners: square.corners,
  secret: square.secret,
  sides,
  count: Shape.count,
  modes: [Mode.Plain, Mode.Loud, Mode.Last, Mode[6]],
  level: Level.High,
  is: square.isSquare(),
  got: new anonymous<string>("v").get(),
};
