// Measures TNoodle's scrambles for the 4x4x4 cube.
//
//     java -cp CLASSES benches/tnoodle.java [COUNT]
//
// CLASSES is the class path of TNoodle-lib with its dependencies. Prints the mean length in outer block turns and the
// median CPU time of a scramble. The first 20 scrambles, which build tables and warm the virtual machine up, do not count.

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.SecureRandom;
import java.util.Arrays;
import org.worldcubeassociation.tnoodle.puzzle.FourByFourCubePuzzle;

class TNoodle {
    static final int WARM_UP = 20;

    public static void main(String[] arguments) {
        int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
        FourByFourCubePuzzle puzzle = new FourByFourCubePuzzle();
        SecureRandom random = new SecureRandom();
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long moves = 0;
        double[] millis = new double[count];
        for (int i = -WARM_UP; i < count; i++) {
            long before = clock.getCurrentThreadCpuTime();
            String scramble = puzzle.generateWcaScramble(random);
            if (i >= 0) {
                millis[i] = (clock.getCurrentThreadCpuTime() - before) / 1e6;
                moves += scramble.trim().split("\\s+").length;
            }
        }
        Arrays.sort(millis);
        System.out.printf("%.2f moves, %.0f ms%n", (double) moves / count, millis[count / 2]);
    }
}
