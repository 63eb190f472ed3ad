"""1024 short words for reading fingerprints aloud: ten bits each.

No two share their first four letters, none is another's beginning, and any two differ in at least two
letters, so a slip of the tongue or of a finger does not turn one word into another. The order is part of the
wire format: it never changes.
"""

from __future__ import annotations

WORDS: tuple[str, ...] = tuple(
    """
abbey accent accord acorn action actor adept admiral adobe advice aerial affair afford agent airport alarm album
alder alert alibi alley almond aloft alpaca alpine amaze amber amend ample amuse analog anchor ancient angle anthem
antique antler anvil april apron arbor arcade archer arena aroma arrow artist ascend aspen assist athlete atlas atom
attic auburn audio august author autumn avenue average avocado awake award axiom axle azure bacon badge baffle bagel
baker balcony ballad balsa bamboo banana banjo banner banquet bargain barley barn barrel barter bashful basil basket
bath battery bay bazaar beach beaver bedrock bedtime beetle begin behave belfry bell belong benefit berry bicycle
bingo biology birch biscuit bison blanket blazer blender blossom blouse blue boat bobbin bobcat bonfire bonnet bonus
boost border botany bottle boulder bouquet bowl boxer bramble brass brave bread breeze brick brief bright bronco
brook brother brunch brush bubble bucket budget buffalo bugle bulb bumper bundle burrow bushel butter buyer buzzer
byte cabbage cabin cable cactus cadet cake calico calm camel camp canal candy canoe canvas canyon capsule captain
caravan card cargo carpet carrot carve cashew castle catalog caution cavern cedar celery cello cement census century
cereal chair chalk chapel charm chatter cheese cherry chess chief chimney china chisel chorus cider cinema circle
citrus civic classic clever cliff climb cloak closet cloth cloud clown cluster coach coast cobalt cobra cocoa coffee
coin collar colony column comet comic common compass concert copper copy coral costume cotton cougar council courage
cousin cover coyote cradle craft crane crater crayon cream credit creek cricket crisp crocus cruise crumb crystal
cube cuckoo cup curious curry curtain cushion custom cycle cypress dairy dance dapper daring dazzle debate decade
deck defend delta deluxe denim dentist depot deputy derby desert design detail device dialog diamond digit dimple
dinner diploma disco divide doctor dolphin domino donkey door dormant double dove dozen dragon drawer drift drizzle
drum duet dune dusk dynamo eager eagle earth easel east echo eclipse editor effort elastic elbow elegant elite elm
embark emblem emerald emotion emperor empire enamel encore energy engine enigma enjoy entry epoch equal ermine
errand escort essay estate eternal ethics event exhibit exit expert eyebrow fabric facet factory falcon family
famous fancy farmer fashion father fence fern fiber fiction fiddle field figure filter final finch finger fire fish
fizzy flag flame flannel flask flavor fleet flicker flint flip flood florist fluffy flurry flute flying foal focus
folder fondue footing forest forge fork forward fossil fox fragile freckle freedom freight fresh friday fringe
frolic frost frozen fruit fudge funnel furnace future gadget galaxy gallon gamma garage garden garlic garnet gate
gavel gazelle gecko general genius gentle gesture geyser giant giggle giraffe glacier glass glider glimmer globe
glory glossy goblet goggles golf goose gossip gradual grain grammar grand grape gravity green grocer group grove
guard guest guide guitar gusto gymnast habit halo hammer handle happy harmony harp harvest hasten hatch haven hawk
hazel healthy heather hedge helium helmet helper herald herb hermit heron hickory hill hinge hippo hobby hockey
holiday hollow homage honey hood hopeful horizon horn hotel house humble humor hunter hurdle husky hut hybrid hymn
ibis icicle igloo iguana image indigo ink inland insect iron item ivory ivy jacket jade jaguar jam january jasmine
jelly jewel jigsaw joker journal juice july jumbo jungle junior justice kayak kennel kettle kilt kimono kingdom
kiosk kitchen kite kitten kiwi knee knife knot koala label lace ladder ladle lagoon lantern laptop larch lasso
lattice laundry laurel lava lawn leaf ledger legend lemon lens lentil leopard letter level library lighter lilac
lily lime linen lion lizard llama lobster locket lodge logic lotus lumber lunar lunch lynx lyric magnet magpie
mammal mango manor mantle maple marble margin marina market marsh mask master meadow medal melon member mentor menu
mercury merit meteor milk mimosa mineral minnow mint minute mirror mixer model moment monday month moon morning
mosaic moss motor muffin mule mural muscle museum music mustard myrtle mystery nature navy nectar needle nephew nest
nickel noble nomad noodle north nugget nurse nutmeg nylon oak oasis object ocean octave october office olive omelet
onion onyx opal opera orange orbit orchid organ osprey ostrich otter outlet oven oxygen oyster paddle page pagoda
paint palace pancake panda panel panther paper parade parcel parent park parsley party passage pasta patrol pattern
paw peanut pearl pebble pecan pelican pencil penguin pepper perch piano picnic picture pigeon pillow pilot pine
pioneer pirate pitcher pizza plank plaster plate plaza plum poem polar pole polka pollen pond poppy portal potato
pottery powder prairie prince prism profit prune pulley pulp puma pumpkin pupil puppet purple puzzle pyramid python
quail quarry queen quick quiet quill quince quiver quota rabbit raccoon radar radio rail raisin rally ranch ranger
razor recipe record reef relic remedy report reptile rescue rhubarb rhythm ribbon rice ridge ring river road robin
robot rodeo roof rooster rope round rubber ruby rudder rug ruler runway russet rye saffron sailor salad salmon salt
salute sand satin saturn sauce sausage scale scarf school scooter scout screen script scroll season secret seed
segment senator shadow shark sheep shelf sheriff shield ship shirt shore shovel shrimp siesta signal silver siren
sister skate sketch sky sleeve slipper sloop smoke snail snow soap soccer soda soldier solo sonata south space
sparrow spear spider spinach spiral sponge spoon spring spruce square squid stable stadium stage stamp star statue
steam step stereo stick stone stork straw street studio sugar suit summer sunday sunset supper surf swallow swan
sweater swim swing symbol syrup system tablet talent tank tape tapir target tartan taxi teacher teapot teller temple
tennis tent thimble thistle thread throne thumb thunder ticket tiger tile timber tin tiptoe titan tomato topaz torch
tornado toucan towel toy trader travel tray tree trophy trout truck tuba tulip tundra tunic turkey turnip turtle
tuxedo twig uncle unit upland urban usher vacuum vapor vase vault velvet vendor verse vessel vicar victor video
viola virtue visit visor vista voice volume voyage wagon walnut walrus waltz wander washer water wave whale wheat
wheel white wild window winter wisdom wombat wool world wren wrist writer yacht year yellow yeoman yogurt yonder
young zebra zenith zephyr zero zigzag zinc zipper zodiac zone
""".split()  # noqa: SIM905  a list of 1024 quoted strings would be no easier to read
)


def words_of(raw: bytes, count: int) -> tuple[str, ...]:
    """The first `count` × 10 bits of `raw` as words, most significant bit first."""
    if len(raw) * 8 < count * 10:
        raise ValueError(f"{len(raw)} bytes are too few for {count} words")
    bits = int.from_bytes(raw, "big") >> (len(raw) * 8 - count * 10)
    return tuple(WORDS[(bits >> 10 * place) & 1023] for place in range(count - 1, -1, -1))
